// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"

#include <string.h>

// Automatic mode: what names tell.
//
// Names come from many tools and languages: "Cape", "LongSkirt", "J_Sec_Hair1_01", "mixamorig:Tail1", "DEF-ear.L", "髪".
// A name is cut into words where a letter follows something that is none, and before a capital after a small letter.
// Whatever stands before the last colon is the name of a scene or a rig, not of the thing. Words with letters beyond
// a to z are looked for anywhere in a name.
//
// An accessory (a hair tie, a sword, a hat) is neither loose nor body, whatever else its name holds.

// clang-format off
static const hemc_loose_word words[] = {
    {"cape", "cape", HEMC_LOOSE_CLOTH, false}, {"cloak", "cape", HEMC_LOOSE_CLOTH, false},
    {"mantle", "mantle", HEMC_LOOSE_CLOTH, false}, {"skirt", "skirt", HEMC_LOOSE_CLOTH, false},
    {"dress", "skirt", HEMC_LOOSE_CLOTH, false}, {"kilt", "skirt", HEMC_LOOSE_CLOTH, false},
    {"gown", "skirt", HEMC_LOOSE_CLOTH, true}, {"petticoat", "skirt", HEMC_LOOSE_CLOTH, false},
    {"hakama", "skirt", HEMC_LOOSE_CLOTH, false}, {"tutu", "skirt", HEMC_LOOSE_CLOTH, true},
    {"robe", "robe", HEMC_LOOSE_CLOTH, true}, {"robes", "robe", HEMC_LOOSE_CLOTH, true},
    {"poncho", "cape", HEMC_LOOSE_CLOTH, false}, {"shawl", "cape", HEMC_LOOSE_CLOTH, true},
    {"capelet", "cape", HEMC_LOOSE_CLOTH, false}, {"serape", "cape", HEMC_LOOSE_CLOTH, false},
    {"kimono", "robe", HEMC_LOOSE_CLOTH, false}, {"yukata", "robe", HEMC_LOOSE_CLOTH, false},
    {"toga", "robe", HEMC_LOOSE_CLOTH, true}, {"cassock", "robe", HEMC_LOOSE_CLOTH, false},
    {"sarong", "skirt", HEMC_LOOSE_CLOTH, false}, {"overcoat", "coat", HEMC_LOOSE_CLOTH, false},
    {"trenchcoat", "coat", HEMC_LOOSE_CLOTH, false}, {"longcoat", "coat", HEMC_LOOSE_CLOTH, false},
    {"greatcoat", "coat", HEMC_LOOSE_CLOTH, false}, {"surcoat", "coat", HEMC_LOOSE_CLOTH, false},
    {"pennant", "flag", HEMC_LOOSE_CLOTH, false}, {"streamer", "ribbon", HEMC_LOOSE_CLOTH, false},
    {"neckerchief", "scarf", HEMC_LOOSE_CLOTH, false}, {"waistcloth", "loincloth", HEMC_LOOSE_CLOTH, false},
    {"vestment", "robe", HEMC_LOOSE_CLOTH, false}, {"caftan", "robe", HEMC_LOOSE_CLOTH, false},
    {"kaftan", "robe", HEMC_LOOSE_CLOTH, false}, {"sari", "robe", HEMC_LOOSE_CLOTH, true},
    {"frock", "skirt", HEMC_LOOSE_CLOTH, false}, {"nightgown", "skirt", HEMC_LOOSE_CLOTH, false},
    {"ballgown", "skirt", HEMC_LOOSE_CLOTH, false}, {"qipao", "skirt", HEMC_LOOSE_CLOTH, false},
    {"cheongsam", "skirt", HEMC_LOOSE_CLOTH, false}, {"tailcoat", "coat", HEMC_LOOSE_CLOTH, false},
    {"coat", "coat", HEMC_LOOSE_CLOTH, true}, {"coattail", "coat", HEMC_LOOSE_CLOTH, false}, {"coattails", "coat", HEMC_LOOSE_CLOTH, false},
    {"tabard", "tabard", HEMC_LOOSE_CLOTH, false}, {"loincloth", "loincloth", HEMC_LOOSE_CLOTH, false},
    {"apron", "apron", HEMC_LOOSE_CLOTH, true}, {"scarf", "scarf", HEMC_LOOSE_CLOTH, false},
    {"muffler", "scarf", HEMC_LOOSE_CLOTH, true}, {"ribbon", "ribbon", HEMC_LOOSE_CLOTH, false},
    {"sash", "sash", HEMC_LOOSE_CLOTH, true}, {"necktie", "tie", HEMC_LOOSE_CLOTH, false},
    {"flag", "flag", HEMC_LOOSE_CLOTH, true}, {"banner", "flag", HEMC_LOOSE_CLOTH, false},
    {"veil", "veil", HEMC_LOOSE_CLOTH, true}, {"curtain", "curtain", HEMC_LOOSE_CLOTH, false},
    {"ponytail", "hair", HEMC_LOOSE_HAIR, false}, {"pigtail", "hair", HEMC_LOOSE_HAIR, false},
    {"twintail", "hair", HEMC_LOOSE_HAIR, false}, {"braid", "hair", HEMC_LOOSE_HAIR, false},
    {"dreads", "hair", HEMC_LOOSE_HAIR, true}, {"dreadlock", "hair", HEMC_LOOSE_HAIR, false},
    {"dreadlocks", "hair", HEMC_LOOSE_HAIR, false}, {"plait", "hair", HEMC_LOOSE_HAIR, true},
    {"plaits", "hair", HEMC_LOOSE_HAIR, true}, {"ringlet", "hair", HEMC_LOOSE_HAIR, false},
    {"mustache", "beard", HEMC_LOOSE_HAIR, false}, {"moustache", "beard", HEMC_LOOSE_HAIR, false},
    {"goatee", "beard", HEMC_LOOSE_HAIR, false}, {"wig", "hair", HEMC_LOOSE_HAIR, true},
    {"hair", "hair", HEMC_LOOSE_HAIR, false}, {"bangs", "hair", HEMC_LOOSE_HAIR, true},
    {"fringe", "hair", HEMC_LOOSE_HAIR, true}, {"mane", "mane", HEMC_LOOSE_HAIR, true},
    {"beard", "beard", HEMC_LOOSE_HAIR, false}, {"tail", "tail", HEMC_LOOSE_FLESH, false},
    {"ear", "ears", HEMC_LOOSE_FLESH, true}, {"ears", "ears", HEMC_LOOSE_FLESH, true},
    {"antenna", "antennae", HEMC_LOOSE_FLESH, false}, {"antennae", "antennae", HEMC_LOOSE_FLESH, false},
    {"feeler", "antennae", HEMC_LOOSE_FLESH, false}, {"tentacle", "tentacles", HEMC_LOOSE_FLESH, false},
    {"proboscis", "trunk", HEMC_LOOSE_FLESH, false}, {"udder", "udder", HEMC_LOOSE_FLESH, true},
    {"wattle", "wattle", HEMC_LOOSE_FLESH, true}, {"jiggle", "jiggle", HEMC_LOOSE_FLESH, true},
    {"trunk", "trunk", HEMC_LOOSE_FLESH, true}, {"belly", "belly", HEMC_LOOSE_FLESH, false},
    {"fin", "fins", HEMC_LOOSE_FIN, true}, {"fins", "fins", HEMC_LOOSE_FIN, true},
    {"flipper", "fins", HEMC_LOOSE_FIN, false}, {"bust", "bust", HEMC_LOOSE_FLESH, true},
    {"breast", "bust", HEMC_LOOSE_FLESH, false},
    {"pelerine", "cape", HEMC_LOOSE_CLOTH, false}, {"tippet", "scarf", HEMC_LOOSE_CLOTH, true},
    {"stole", "scarf", HEMC_LOOSE_CLOTH, true}, {"peplum", "skirt", HEMC_LOOSE_CLOTH, false},
    {"forelock", "mane", HEMC_LOOSE_HAIR, false}, {"tresses", "hair", HEMC_LOOSE_HAIR, true},
    {"tendril", "tentacles", HEMC_LOOSE_FLESH, false}, {"barbel", "antennae", HEMC_LOOSE_FLESH, true},
    {"barbels", "antennae", HEMC_LOOSE_FLESH, true},
    // German, French, Spanish, Portuguese, Italian
    {"umhang", "cape", HEMC_LOOSE_CLOTH, false}, {"kleid", "skirt", HEMC_LOOSE_CLOTH, false},
    {"schal", "scarf", HEMC_LOOSE_CLOTH, true}, {"haar", "hair", HEMC_LOOSE_HAIR, false},
    {"haare", "hair", HEMC_LOOSE_HAIR, false}, {"zopf", "hair", HEMC_LOOSE_HAIR, false},
    {"pferdeschwanz", "hair", HEMC_LOOSE_HAIR, false}, {"schwanz", "tail", HEMC_LOOSE_FLESH, false}, {"ohr", "ears", HEMC_LOOSE_FLESH, true},
    {"ohren", "ears", HEMC_LOOSE_FLESH, true}, {"jupe", "skirt", HEMC_LOOSE_CLOTH, true},
    {"echarpe", "scarf", HEMC_LOOSE_CLOTH, true}, {"cheveux", "hair", HEMC_LOOSE_HAIR, false},
    {"queue", "tail", HEMC_LOOSE_FLESH, true}, {"oreille", "ears", HEMC_LOOSE_FLESH, false},
    {"capa", "cape", HEMC_LOOSE_CLOTH, true}, {"falda", "skirt", HEMC_LOOSE_CLOTH, true},
    {"saia", "skirt", HEMC_LOOSE_CLOTH, true}, {"vestido", "skirt", HEMC_LOOSE_CLOTH, true},
    {"bufanda", "scarf", HEMC_LOOSE_CLOTH, true}, {"cabello", "hair", HEMC_LOOSE_HAIR, false},
    {"cabelo", "hair", HEMC_LOOSE_HAIR, false}, {"pelo", "hair", HEMC_LOOSE_HAIR, true},
    {"capelli", "hair", HEMC_LOOSE_HAIR, true}, {"cola", "tail", HEMC_LOOSE_FLESH, true},
    {"coda", "tail", HEMC_LOOSE_FLESH, true}, {"oreja", "ears", HEMC_LOOSE_FLESH, false},
    {"orejas", "ears", HEMC_LOOSE_FLESH, true}, {"mantello", "cape", HEMC_LOOSE_CLOTH, true},
    {"gonna", "skirt", HEMC_LOOSE_CLOTH, true},
    {"manteau", "cape", HEMC_LOOSE_CLOTH, true}, {"foulard", "scarf", HEMC_LOOSE_CLOTH, true},
    {"sciarpa", "scarf", HEMC_LOOSE_CLOTH, true}, {"melena", "hair", HEMC_LOOSE_HAIR, true},
    {"barbe", "beard", HEMC_LOOSE_HAIR, true}, {"barba", "beard", HEMC_LOOSE_HAIR, true},
    {"tresse", "hair", HEMC_LOOSE_HAIR, true}, {"trenza", "hair", HEMC_LOOSE_HAIR, true},
    {"cauda", "tail", HEMC_LOOSE_FLESH, true}, {"rabo", "tail", HEMC_LOOSE_FLESH, true},
    {"orelha", "ears", HEMC_LOOSE_FLESH, true}, {"orelhas", "ears", HEMC_LOOSE_FLESH, true},
    {"schweif", "tail", HEMC_LOOSE_FLESH, true}, {"mantel", "coat", HEMC_LOOSE_CLOTH, true},
    {"schleier", "veil", HEMC_LOOSE_CLOTH, true}, {"fahne", "flag", HEMC_LOOSE_CLOTH, true},
    {"drapeau", "flag", HEMC_LOOSE_CLOTH, true}, {"bandera", "flag", HEMC_LOOSE_CLOTH, true},
    {"bandiera", "flag", HEMC_LOOSE_CLOTH, true}, {"treccia", "hair", HEMC_LOOSE_HAIR, true},
    {"coleta", "hair", HEMC_LOOSE_HAIR, true}, {"orecchio", "ears", HEMC_LOOSE_FLESH, true}, {"orecchie", "ears", HEMC_LOOSE_FLESH, true},
    {"flosse", "fins", HEMC_LOOSE_FIN, false}, {"flossen", "fins", HEMC_LOOSE_FIN, false},
    {"schleife", "ribbon", HEMC_LOOSE_CLOTH, true}, {"schürze", "apron", HEMC_LOOSE_CLOTH, false},
    {"Schürze", "apron", HEMC_LOOSE_CLOTH, false}, {"mähne", "mane", HEMC_LOOSE_HAIR, false},
    {"Mähne", "mane", HEMC_LOOSE_HAIR, false}, {"fühler", "antennae", HEMC_LOOSE_FLESH, false},
    {"Fühler", "antennae", HEMC_LOOSE_FLESH, false}, {"lendenschurz", "loincloth", HEMC_LOOSE_CLOTH, false},
    {"halstuch", "scarf", HEMC_LOOSE_CLOTH, true}, {"kutte", "robe", HEMC_LOOSE_CLOTH, true},
    {"écharpe", "scarf", HEMC_LOOSE_CLOTH, false}, {"Écharpe", "scarf", HEMC_LOOSE_CLOTH, false},
    {"ruban", "ribbon", HEMC_LOOSE_CLOTH, true}, {"tablier", "apron", HEMC_LOOSE_CLOTH, true},
    {"jupon", "skirt", HEMC_LOOSE_CLOTH, true}, {"cheveu", "hair", HEMC_LOOSE_HAIR, true},
    {"crinière", "mane", HEMC_LOOSE_HAIR, false}, {"Crinière", "mane", HEMC_LOOSE_HAIR, false},
    {"criniere", "mane", HEMC_LOOSE_HAIR, true}, {"nageoire", "fins", HEMC_LOOSE_FIN, false},
    {"pagne", "loincloth", HEMC_LOOSE_CLOTH, true}, {"voile", "veil", HEMC_LOOSE_CLOTH, true},
    {"cinta", "ribbon", HEMC_LOOSE_CLOTH, true}, {"velo", "veil", HEMC_LOOSE_CLOTH, true},
    {"manto", "cape", HEMC_LOOSE_CLOTH, true}, {"delantal", "apron", HEMC_LOOSE_CLOTH, true},
    {"aleta", "fins", HEMC_LOOSE_FIN, true}, {"aletas", "fins", HEMC_LOOSE_FIN, true},
    {"bigote", "beard", HEMC_LOOSE_HAIR, true}, {"flequillo", "hair", HEMC_LOOSE_HAIR, true},
    {"trenzas", "hair", HEMC_LOOSE_HAIR, true}, {"crin", "mane", HEMC_LOOSE_HAIR, true},
    {"crines", "mane", HEMC_LOOSE_HAIR, true}, {"antena", "antennae", HEMC_LOOSE_FLESH, true},
    {"antenas", "antennae", HEMC_LOOSE_FLESH, true}, {"tentaculo", "tentacles", HEMC_LOOSE_FLESH, false},
    {"taparrabos", "loincloth", HEMC_LOOSE_CLOTH, true}, {"cachecol", "scarf", HEMC_LOOSE_CLOTH, true},
    {"avental", "apron", HEMC_LOOSE_CLOTH, true}, {"crina", "mane", HEMC_LOOSE_HAIR, true},
    {"barbatana", "fins", HEMC_LOOSE_FIN, false}, {"franja", "hair", HEMC_LOOSE_HAIR, true},
    {"trança", "hair", HEMC_LOOSE_HAIR, false}, {"Trança", "hair", HEMC_LOOSE_HAIR, false},
    {"nastro", "ribbon", HEMC_LOOSE_CLOTH, true}, {"criniera", "mane", HEMC_LOOSE_HAIR, true},
    {"pinna", "fins", HEMC_LOOSE_FIN, true}, {"pinne", "fins", HEMC_LOOSE_FIN, true},
    {"grembiule", "apron", HEMC_LOOSE_CLOTH, true},
    // Japanese: cape, skirt, scarf, ribbon, hair, tail, ear
    {"マント", "cape", HEMC_LOOSE_CLOTH, false}, {"スカート", "skirt", HEMC_LOOSE_CLOTH, false},
    {"マフラー", "scarf", HEMC_LOOSE_CLOTH, false}, {"リボン", "ribbon", HEMC_LOOSE_CLOTH, false},
    {"ポニーテール", "hair", HEMC_LOOSE_HAIR, false}, {"ツインテ", "hair", HEMC_LOOSE_HAIR, false},
    {"もみあげ", "hair", HEMC_LOOSE_HAIR, false}, {"髪", "hair", HEMC_LOOSE_HAIR, false},
    {"しっぽ", "tail", HEMC_LOOSE_FLESH, false}, {"尻尾", "tail", HEMC_LOOSE_FLESH, false},
    {"耳", "ears", HEMC_LOOSE_FLESH, false}, {"胸", "bust", HEMC_LOOSE_FLESH, false},
    {"ケープ", "cape", HEMC_LOOSE_CLOTH, false}, {"ローブ", "robe", HEMC_LOOSE_CLOTH, false},
    {"ドレス", "skirt", HEMC_LOOSE_CLOTH, false}, {"ワンピース", "skirt", HEMC_LOOSE_CLOTH, false},
    {"コート", "coat", HEMC_LOOSE_CLOTH, false}, {"袴", "skirt", HEMC_LOOSE_CLOTH, false},
    {"ﾏﾝﾄ", "cape", HEMC_LOOSE_CLOTH, false}, {"ｽｶｰﾄ", "skirt", HEMC_LOOSE_CLOTH, false},
    {"おさげ", "hair", HEMC_LOOSE_HAIR, false}, {"三つ編み", "hair", HEMC_LOOSE_HAIR, false},
    {"アホ毛", "hair", HEMC_LOOSE_HAIR, false}, {"ヘアー", "hair", HEMC_LOOSE_HAIR, false},
    {"髭", "beard", HEMC_LOOSE_HAIR, false}, {"ヒゲ", "beard", HEMC_LOOSE_HAIR, false},
    {"ひれ", "fins", HEMC_LOOSE_FIN, false},
    {"羽織", "coat", HEMC_LOOSE_CLOTH, false}, {"ベール", "veil", HEMC_LOOSE_CLOTH, false},
    {"スカーフ", "scarf", HEMC_LOOSE_CLOTH, false}, {"エプロン", "apron", HEMC_LOOSE_CLOTH, false},
    {"着物", "robe", HEMC_LOOSE_CLOTH, false}, {"たてがみ", "mane", HEMC_LOOSE_HAIR, false},
    {"ヒレ", "fins", HEMC_LOOSE_FIN, false}, {"鰭", "fins", HEMC_LOOSE_FIN, false}, {"旗", "flag", HEMC_LOOSE_CLOTH, false},
    {"アンテナ", "antennae", HEMC_LOOSE_FLESH, false}, {"触覚", "hair", HEMC_LOOSE_HAIR, false},
    {"触手", "tentacles", HEMC_LOOSE_FLESH, false}, {"触角", "antennae", HEMC_LOOSE_FLESH, false},
    // Chinese: cape, skirt, scarf, hair, tail
    {"围裙", "apron", HEMC_LOOSE_CLOTH, false}, {"丝带", "ribbon", HEMC_LOOSE_CLOTH, false},
    {"丝巾", "scarf", HEMC_LOOSE_CLOTH, false}, {"面纱", "veil", HEMC_LOOSE_CLOTH, false},
    {"头纱", "veil", HEMC_LOOSE_CLOTH, false}, {"长发", "hair", HEMC_LOOSE_HAIR, false},
    {"头髮", "hair", HEMC_LOOSE_HAIR, false}, {"鬃", "mane", HEMC_LOOSE_HAIR, false}, {"鳍", "fins", HEMC_LOOSE_FIN, false},
    {"触须", "antennae", HEMC_LOOSE_FLESH, false}, {"胡须", "beard", HEMC_LOOSE_HAIR, false},
    {"大衣", "coat", HEMC_LOOSE_CLOTH, false}, {"外套", "coat", HEMC_LOOSE_CLOTH, false},
    {"披风", "cape", HEMC_LOOSE_CLOTH, false}, {"披風", "cape", HEMC_LOOSE_CLOTH, false},
    {"斗篷", "cape", HEMC_LOOSE_CLOTH, false}, {"裙", "skirt", HEMC_LOOSE_CLOTH, false},
    {"围巾", "scarf", HEMC_LOOSE_CLOTH, false}, {"头发", "hair", HEMC_LOOSE_HAIR, false},
    {"頭髮", "hair", HEMC_LOOSE_HAIR, false}, {"尾巴", "tail", HEMC_LOOSE_FLESH, false},
    {"马尾", "hair", HEMC_LOOSE_HAIR, false}, {"刘海", "hair", HEMC_LOOSE_HAIR, false},
    {"辫", "hair", HEMC_LOOSE_HAIR, false}, {"胡子", "beard", HEMC_LOOSE_HAIR, false},
    {"袍", "robe", HEMC_LOOSE_CLOTH, false}, {"披肩", "cape", HEMC_LOOSE_CLOTH, false}, {"飘带", "ribbon", HEMC_LOOSE_CLOTH, false},
    // Korean: cape, skirt, hair, tail
    {"앞치마", "apron", HEMC_LOOSE_CLOTH, false}, {"스카프", "scarf", HEMC_LOOSE_CLOTH, false},
    {"목도리", "scarf", HEMC_LOOSE_CLOTH, false}, {"리본", "ribbon", HEMC_LOOSE_CLOTH, false},
    {"갈기", "mane", HEMC_LOOSE_HAIR, false}, {"지느러미", "fins", HEMC_LOOSE_FIN, false},
    {"더듬이", "antennae", HEMC_LOOSE_FLESH, false}, {"촉수", "tentacles", HEMC_LOOSE_FLESH, false},
    {"코트", "coat", HEMC_LOOSE_CLOTH, false}, {"포니테일", "hair", HEMC_LOOSE_HAIR, false},
    {"앞머리", "hair", HEMC_LOOSE_HAIR, false}, {"헤어", "hair", HEMC_LOOSE_HAIR, false},
    {"깃발", "flag", HEMC_LOOSE_CLOTH, false}, {"베일", "veil", HEMC_LOOSE_CLOTH, false},
    {"원피스", "skirt", HEMC_LOOSE_CLOTH, false},
    {"망토", "cape", HEMC_LOOSE_CLOTH, false}, {"치마", "skirt", HEMC_LOOSE_CLOTH, false},
    {"머리카락", "hair", HEMC_LOOSE_HAIR, false}, {"꼬리", "tail", HEMC_LOOSE_FLESH, false},
    {"스커트", "skirt", HEMC_LOOSE_CLOTH, false}, {"드레스", "skirt", HEMC_LOOSE_CLOTH, false},
    {"로브", "robe", HEMC_LOOSE_CLOTH, false}, {"수염", "beard", HEMC_LOOSE_HAIR, false}, {"귀", "ears", HEMC_LOOSE_FLESH, false},
    // Russian, small and capital: cape, skirt, hair, tail
    {"плащ", "cape", HEMC_LOOSE_CLOTH, false}, {"Плащ", "cape", HEMC_LOOSE_CLOTH, false},
    {"юбка", "skirt", HEMC_LOOSE_CLOTH, false}, {"Юбка", "skirt", HEMC_LOOSE_CLOTH, false},
    {"волосы", "hair", HEMC_LOOSE_HAIR, false}, {"Волосы", "hair", HEMC_LOOSE_HAIR, false},
    {"мантия", "robe", HEMC_LOOSE_CLOTH, false}, {"Мантия", "robe", HEMC_LOOSE_CLOTH, false},
    {"борода", "beard", HEMC_LOOSE_HAIR, false}, {"Борода", "beard", HEMC_LOOSE_HAIR, false},
    {"платье", "skirt", HEMC_LOOSE_CLOTH, false}, {"Платье", "skirt", HEMC_LOOSE_CLOTH, false},
    {"шарф", "scarf", HEMC_LOOSE_CLOTH, false}, {"Шарф", "scarf", HEMC_LOOSE_CLOTH, false},
    {"накидка", "cape", HEMC_LOOSE_CLOTH, false}, {"Накидка", "cape", HEMC_LOOSE_CLOTH, false},
    {"лента", "ribbon", HEMC_LOOSE_CLOTH, false}, {"Лента", "ribbon", HEMC_LOOSE_CLOTH, false},
    {"фартук", "apron", HEMC_LOOSE_CLOTH, false}, {"Фартук", "apron", HEMC_LOOSE_CLOTH, false},
    {"пальто", "coat", HEMC_LOOSE_CLOTH, false}, {"Пальто", "coat", HEMC_LOOSE_CLOTH, false},
    {"вуаль", "veil", HEMC_LOOSE_CLOTH, false}, {"Вуаль", "veil", HEMC_LOOSE_CLOTH, false},
    {"грива", "mane", HEMC_LOOSE_HAIR, false}, {"Грива", "mane", HEMC_LOOSE_HAIR, false},
    {"плавник", "fins", HEMC_LOOSE_FIN, false}, {"Плавник", "fins", HEMC_LOOSE_FIN, false},
    {"щупальц", "tentacles", HEMC_LOOSE_FLESH, false}, {"Щупальц", "tentacles", HEMC_LOOSE_FLESH, false},
    {"усики", "antennae", HEMC_LOOSE_FLESH, false}, {"Усики", "antennae", HEMC_LOOSE_FLESH, false},
    {"хвост", "tail", HEMC_LOOSE_FLESH, false}, {"Хвост", "tail", HEMC_LOOSE_FLESH, false},
    {"尾", "tail", HEMC_LOOSE_FLESH, false}, // last: a horse's is a way to wear hair
};
// These tell something of a chain of bones alone: a mesh called Cloth is a shirt and trousers.
static const hemc_loose_word chain_words[] = {
    {"sleeve", "sleeves", HEMC_LOOSE_CLOTH, false}, {"cloth", "cloth", HEMC_LOOSE_CLOTH, true},
    {"tassel", "tassels", HEMC_LOOSE_SPRING, false}, {"dangle", "dangles", HEMC_LOOSE_SPRING, false},
    {"feather", "feathers", HEMC_LOOSE_FIN, false}, {"袖", "sleeves", HEMC_LOOSE_CLOTH, false}};
static const char* const limbs[] = {"head", "neck", "hand", "wrist", "arm", "forearm", "upperarm", "elbow", "foot",
    "ankle", "leg", "upperleg", "lowerleg", "upleg", "thigh", "calf", "shin", "knee", "頭", "腕", "手首", "足", "ひざ", "头",
    "手臂", "腿"};
static const char* const lookalikes[] = {"chair",    "detail",   "address",    "landscape", "escape", "retail", "manet",
                                         "cocktail", "armchair", "wheelchair", "headdress", "earring", "haarlem",
                                         "breastplate", "breastbone", "tailor", "dresser", "dressing"};
static const char* const accessories[] = {
    "accessory", "accessories", "hairtie", "hairclip", "hairpin", "hairband", "headband", "scrunchie", "barrette",
    "tie", "clip", "pin", "band", "hat", "cap", "helmet", "helm", "crown", "tiara", "glasses", "goggles", "mask",
    "sword", "blade", "dagger", "knife", "axe", "hammer", "mace", "spear", "staff", "wand", "bow", "arrow", "quiver",
    "shield", "gun", "rifle", "pistol", "weapon", "book", "spellbook", "bag", "backpack", "pouch", "lantern", "torch",
    "earring", "earrings", "necklace", "prop", "props", "mug", "flute", "shuriken", "crossbow", "throwable", "offhand",
    "greatsword", "longsword", "shortsword", "broadsword", "katana", "rapier", "saber", "sabre", "sheath", "scythe",
    "halberd", "lance", "trident", "longbow", "shortbow", "battleaxe", "warhammer", "tome", "grimoire", "scroll",
    "potion", "bottle", "satchel", "rucksack",
    // other languages: sword, shield, hat, helmet, glasses, earring, bag, weapon, staff
    "schwert", "schild", "hut", "brille", "ohrring", "epee", "bouclier", "chapeau", "casque", "lunettes", "espada",
    "escudo", "sombrero", "casco", "gafas", "arma", "spada", "scudo", "cappello", "occhiali", "chapeu", "oculos",
    "меч", "Меч", "щит", "Щит", "шляпа", "Шляпа", "шлем", "Шлем", "очки", "Очки", "剣", "剑", "刀", "盾", "帽", "兜",
    "武器", "眼鏡", "眼镜", "メガネ", "イヤリング", "耳環", "耳环", "耳飾", "耳机", "杖", "검", "방패", "모자", "무기", "안경",
    "귀걸이", "가방"};
// clang-format on

enum {
    WORD_COUNT = sizeof(words) / sizeof(words[0]),
    CHAIN_WORD_COUNT = sizeof(chain_words) / sizeof(chain_words[0]),
    LIMB_COUNT = sizeof(limbs) / sizeof(limbs[0]),
    ALIKE_COUNT = sizeof(lookalikes) / sizeof(lookalikes[0]),
    ACCESSORY_COUNT = sizeof(accessories) / sizeof(accessories[0]),
    TOKEN_SIZE = 64
};
_Static_assert(WORD_COUNT + CHAIN_WORD_COUNT <= HEMC_LOOSE_PARTS, "more words than findings have room");

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z');
}

// Such a word is looked for anywhere in a name, as it is.
static bool is_foreign(const char* word) {
    while (*word != 0 && (*word & 0x80) == 0) {
        ++word;
    }
    return *word != 0;
}

static const char* without_rig(const char* name) {
    const char* colon = strrchr(name, ':');
    return colon != NULL && colon[1] != 0 ? colon + 1 : name;
}

// The next word of a name, in small letters; false at its end.
static bool next_token(const char** at, char token[TOKEN_SIZE]) {
    const char* c = *at;
    while (*c != 0 && !is_letter(*c)) {
        ++c;
    }
    size_t length = 0;
    while (is_letter(*c) && !(length > 0 && *c >= 'A' && *c <= 'Z' && c[-1] >= 'a')) {
        if (length + 1 < TOKEN_SIZE) {
            token[length++] = lower(*c);
        }
        ++c;
    }
    token[length] = 0;
    *at = c;
    return length > 0;
}

bool hemc_name_holds(const char* name, const char* word) {
    char token[TOKEN_SIZE];
    for (const char* at = without_rig(name); next_token(&at, token);) {
        if (strcmp(token, word) == 0) {
            return true;
        }
    }
    return false;
}

bool hemc_name_holds_any(const char* name, const char* const* some, int count) {
    for (int i = 0; i < count && some[i] != NULL; ++i) {
        if (is_foreign(some[i]) ? strstr(name, some[i]) != NULL : hemc_name_holds(name, some[i])) {
            return true;
        }
    }
    return false;
}

bool hemc_name_is_slot(const char* name) {
    static const char* const slots[] = {"slot", "handslot", "socket", "attach", "attachment", "holster", "scabbard"};
    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); ++i) {
        if (hemc_name_holds(name, slots[i])) {
            return true;
        }
    }
    return false;
}

bool hemc_primitive_is_accessory(const hemc_primitive* primitive) {
    return hemc_name_is_accessory(primitive->material_name) || hemc_name_is_accessory(primitive->node_name) ||
           hemc_name_is_accessory(primitive->mesh_name);
}

const char* hemc_name_accessory(const char* name) {
    for (int i = 0; i < ACCESSORY_COUNT; ++i) {
        if (hemc_name_holds_any(name, &accessories[i], 1)) {
            return accessories[i];
        }
    }
    return NULL;
}

bool hemc_name_is_accessory(const char* name) {
    return hemc_name_accessory(name) != NULL;
}

static bool is_alike(const char* token) {
    for (int i = 0; i < ALIKE_COUNT; ++i) {
        if (strncmp(token, lookalikes[i], strlen(lookalikes[i])) == 0) {
            return true;
        }
    }
    return false;
}

// The first word of a name that is in the table; words of scripts without capitals anywhere in it.
static const hemc_loose_word* find_word(const char* name, const hemc_loose_word* table, uint32_t count) {
    char token[TOKEN_SIZE];
    name = without_rig(name);
    for (const char* at = name; next_token(&at, token);) {
        const size_t length = strlen(token);
        for (uint32_t i = 0; i < count && !is_alike(token); ++i) {
            const size_t n = strlen(table[i].word);
            if (strcmp(token, table[i].word) == 0 ||
                (!table[i].whole && length > n &&
                 (strncmp(token, table[i].word, n) == 0 || strcmp(token + length - n, table[i].word) == 0))) {
                return &table[i];
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (is_foreign(table[i].word) && strstr(name, table[i].word) != NULL) {
            return &table[i];
        }
    }
    return NULL;
}

const hemc_loose_word* hemc_name_loose(const char* name) {
    return find_word(name, words, WORD_COUNT);
}

const hemc_loose_word* hemc_name_chain(const char* name) {
    const hemc_loose_word* word = hemc_name_loose(name);
    return word != NULL ? word : find_word(name, chain_words, CHAIN_WORD_COUNT);
}

bool hemc_name_is_limb(const char* name) {
    return hemc_name_chain(name) == NULL && hemc_name_holds_any(name, limbs, LIMB_COUNT);
}
