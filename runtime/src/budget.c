// SPDX-License-Identifier: MIT
// The plan: which level each instance has in this step, and who is simulated in it.
//
// It is the multiple choice knapsack of Funkhouser and Sequin ("Adaptive Display Algorithm for Interactive Frame Rates",
// 1993): levels have a quality, instances an importance, and what counts is importance times quality for the time. There is
// a price of time at which what everybody buys costs just what there is; it is found by halving an interval around the last
// one. Who pays less for the step to a level than the price does not get it. So of two of a kind the more important never
// has the worse level, nobody is compared with anybody, and a step costs time proportional to the instances.
//
// Levels follow from mean costs. Who is simulated in this very frame is chosen after that: all that are simulated in every
// frame, then those at half and quarter rate that have waited longest, as long as the frame has room. What does not fit
// comes a frame later. So the frames are even, and none is planned above the budget unless all are at their worst.
//
// To rise, a level must be worth more than the price by a quarter, and the last change must be a while ago: a level that is
// worth just the price does not come and go. To fall, nothing.

#include "runtime/src/checks.h"
#include "runtime/src/ops.h"
#include "runtime/src/step.h"

#define MARGIN 0.09f // of the budget, left for what the model does not know
#define UNSURE                                                                                                         \
    0.55f // of the root of the sum of squares of what steps cost: few large ones do not even out as many small ones do
HEM_STATIC_ASSERT(HEM_MAX_LEVELS == 4, "lists of prices below");
#define RAISE 1.25f      // times the price
#define RAISE_FRAMES 12u // since the last change
#define FADE_OUT 2u      // of HEMI_BLEND, a frame
#define FADE_IN 8u
#define LEARN (1.0f / 32.0f) // of what measured and planned differ by, a frame

static const float QUALITY[HEM_LEVEL_COUNT] = {1.0f, 0.9f, 0.87f, 0.78f, 0.68f, 0.15f, 0.0f};

const char* hem_level_name(hem_level level) {
    static const char* const names[HEM_LEVEL_COUNT] = {"full", "light", "coarse", "half", "quarter", "frozen", "pose"};
    return (uint32_t)level < HEM_LEVEL_COUNT ? names[level] : NULL;
}

int hemi_is_level(const hem_view* view, uint32_t level) {
    return level < HEM_LEVEL_COUNT && (level != HEM_LEVEL_COARSE || view->level_count);
}

// -- Bids

#define ENDLESS 3e38f

static int may_have(const hemi_bid* bid, uint32_t level) {
    return level >= bid->best && level <= bid->worst && (level != HEM_LEVEL_COARSE || bid->coarse);
}

// What each level is worth: importance times the quality that it adds, for the time that it adds. From the worst on the next
// is the one that adds most for its time, so that what is worth less than a better one is passed over, never bought.
static void find_worth(hemi_bid* bid) {
    for (uint32_t level = 0; level < HEM_LEVEL_COUNT; ++level) {
        bid->worth[level] = -1.0f;
    }
    uint32_t last = bid->worst;
    bid->worth[last] = ENDLESS;
    while (last != bid->best) {
        uint32_t next = bid->best;
        float most = -1.0f;
        for (uint32_t level = 0; level < last; ++level) {
            const float extra = bid->mean[level] - bid->mean[last];
            const float worth = extra > 0.0f ? bid->importance * (QUALITY[level] - QUALITY[last]) / extra : ENDLESS;
            if (may_have(bid, level) && worth > most) {
                most = worth;
                next = level;
            }
        }
        bid->worth[next] = hem_minf(most, bid->worth[last]);
        last = next;
    }
}

static int has_moved(const hem_scene* scene, const hemi_instance* instance) {
    const float still = scene->classes[instance->class_index].derived->still;
    const hemi_state* s = instance->state;
    return s->jumped || s->woken || (s->pose_changed && hemi_targets_moved(instance, still)) ||
           hemi_root_moved(instance->input, s, still);
}

static void bid_for(const hem_scene* scene, const hemi_instance* instance, hemi_bid* bid) {
    const hemi_wish* wish = instance->wish;
    const hemi_given* given = instance->given;
    const hemi_class* slots = &scene->classes[instance->class_index];
    const hemi_prices* prices[HEM_MAX_LEVELS] = {slots->prices, slots->levels[0].prices, slots->levels[1].prices,
                                                 slots->levels[2].prices};
    bid->importance = wish->importance;
    bid->best = wish->best;
    bid->worst = wish->worst;
    bid->level = given->level < wish->best ? wish->best : given->level > wish->worst ? wish->worst : given->level;
    bid->age = instance->state->step_count == 0 || bid->level != given->level ? RAISE_FRAMES : given->age;
    hemi_bid_of(scene, instance, prices, bid);
    if (instance->state->asleep == HEMI_AWAY || (instance->state->asleep && !has_moved(scene, instance))) {
        // Until it wakes nothing is done but to look.
        const float asleep = prices[0]->pose + (scene->budget == HEM_BUDGET_STEP ? 0.0f : prices[0]->skin);
        for (uint32_t level = 0; level < HEM_LEVEL_FROZEN; ++level) {
            bid->mean[level] = bid->turn[level] = asleep;
        }
        bid->rest = asleep;
    }
    find_worth(bid);
}

// -- The price

static uint32_t best_at(const hemi_bid* bid, float price) {
    uint32_t level = bid->worst;
    for (uint32_t better = HEM_LEVEL_COUNT; better-- > 0;) {
        level = better < bid->worst && may_have(bid, better) && bid->worth[better] >= price ? better : level;
    }
    return level;
}

static uint32_t level_at(const hemi_bid* bid, float price) {
    const uint32_t level = best_at(bid, price);
    if (level >= bid->level || price == 0.0f) {
        return level >= bid->level || bid->age >= RAISE_FRAMES ? level : bid->level;
    }
    const uint32_t surely = bid->age >= RAISE_FRAMES ? best_at(bid, price * RAISE) : bid->level;
    return surely < bid->level ? surely : bid->level;
}

static float sum_at(const hem_scene* scene, uint32_t count, float price) {
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; ++i) {
        const hemi_bid* bid = &scene->bids[scene->order[i]];
        sum += bid->mean[level_at(bid, price)];
    }
    return sum;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

// The lowest price, to half a percent, at which what is bought fits. Floats above zero are ordered as their bits are.
static float find_price(const hem_scene* scene, uint32_t count, float room) {
    const float last = scene->spent->price;
    if (sum_at(scene, count, 0.0f) <= room) {
        return 0.0f;
    }
    float low = 0.0f, high = ENDLESS;
    if (last > 1e-30f && last < 1e30f) {
        const float below = last / 1.1f, above = last * 1.1f;
        const int low_fits = sum_at(scene, count, below) <= room;
        high = low_fits ? below : sum_at(scene, count, above) <= room ? above : high;
        low = low_fits ? low : high == above ? below : above;
    }
    uint32_t a = bits_of(low), b = bits_of(high);
    while (b - a > 1u << 15) {
        const uint32_t middle = a + (b - a) / 2;
        if (sum_at(scene, count, float_of(middle)) <= room) {
            b = middle;
        } else {
            a = middle;
        }
    }
    return float_of(b);
}

// -- Order

// Most important first; of equals the one in the earlier slot. Runs of one, two, four, ... are merged.
static void sort_order(hem_scene* scene, uint32_t count) {
    uint32_t *from = scene->order, *to = scene->order_spare;
    for (uint32_t run = 1; run < count; run *= 2) {
        for (uint32_t begin = 0; begin < count; begin += 2 * run) {
            const uint32_t middle = begin + run < count ? begin + run : count;
            const uint32_t end = begin + 2 * run < count ? begin + 2 * run : count;
            uint32_t a = begin, b = middle;
            for (uint32_t i = begin; i < end; ++i) {
                const int first =
                    b == end || (a < middle && !(scene->bids[from[b]].importance > scene->bids[from[a]].importance));
                to[i] = first ? from[a++] : from[b++];
            }
        }
        uint32_t* swap = from;
        from = to;
        to = swap;
    }
    scene->order = from;
    scene->order_spare = to;
}

// -- Levels and turns

static void give_level(const hem_scene* scene, hemi_instance* instance, uint32_t level) {
    hemi_given* given = instance->given;
    hemi_spent* spent = scene->spent;
    spent->raised += level < given->level;
    spent->lowered += level > given->level;
    if (instance->state->step_count) { // else nobody has seen it yet
        given->age = level != given->level ? 0 : given->age < 255 ? given->age + 1 : 255;
    }
    given->level = level;
    if (level == HEM_LEVEL_POSE) {
        const uint32_t blend = instance->state->step_count ? given->blend : 0; // nobody has seen it yet
        given->blend = blend > FADE_OUT ? blend - FADE_OUT : 0;
    } else {
        given->blend = given->blend + FADE_IN < HEMI_BLEND ? given->blend + FADE_IN : HEMI_BLEND;
    }
}

// Whether it is simulated in this frame whatever the others do.
static int must_turn(const hemi_instance* instance) {
    const uint32_t level = instance->given->level;
    return level <= HEM_LEVEL_COARSE ||
           (level < HEM_LEVEL_FROZEN && (instance->state->jumped || instance->state->asleep));
}

static float now_of(const hemi_instance* instance, const hemi_bid* bid) {
    const hemi_given* given = instance->given;
    const int fading = given->level == HEM_LEVEL_POSE && given->blend > 0;
    return fading ? bid->rest : given->turn || given->level >= HEM_LEVEL_FROZEN ? bid->turn[given->level] : bid->rest;
}

// How urgent a turn is: 3 = it has waited too long, 2 = it is time, 1 = it would not be much too early.
static uint32_t urgency_of(const hemi_given* given) {
    const uint32_t period = hemi_pace_of(given->level)->period, waited = given->waited + 1;
    return waited > period ? 3 : waited == period ? 2 : waited + 1 == period && period > 2 ? 1 : 0;
}

// What the steps of this frame may come to besides what is reckoned.
static float unsure_of(float squares) {
    return UNSURE * hem_sqrtf(squares);
}

// room: of which none is planned above; all: of the budget.
static float give_turns(hem_scene* scene, uint32_t count, float room, float all) {
    float sum = 0.0f, squares = 0.0f;
    for (uint32_t i = 0; i < count; ++i) {
        const hemi_instance* instance = &scene->instances[scene->order[i]];
        const hemi_bid* bid = &scene->bids[scene->order[i]];
        instance->given->turn = (uint32_t)must_turn(instance);
        const float now = now_of(instance, bid), step = instance->given->turn ? now - bid->rest : 0.0f;
        sum += now;
        squares += step * step;
    }
    for (uint32_t i = count; i-- > 0 && sum > room;) { // no time to fade
        const hemi_instance* instance = &scene->instances[scene->order[i]];
        if (instance->given->level == HEM_LEVEL_POSE) {
            const hemi_bid* bid = &scene->bids[scene->order[i]];
            sum -= now_of(instance, bid);
            instance->given->blend = 0;
            sum += now_of(instance, bid);
        }
    }
    for (uint32_t urgency = 3; urgency > 0; --urgency) {
        for (uint32_t i = 0; i < count; ++i) {
            hemi_given* given = scene->instances[scene->order[i]].given;
            const hemi_bid* bid = &scene->bids[scene->order[i]];
            if (given->turn || given->level >= HEM_LEVEL_FROZEN || urgency_of(given) != urgency) {
                continue;
            }
            const float more = bid->turn[given->level] - bid->rest;
            if (sum + more <= room && sum + more + unsure_of(squares + more * more) <= all) {
                given->turn = 1;
                sum += more;
                squares += more * more;
            }
        }
    }
    return sum;
}

// Without a budget everybody has the best that it may have; half of those at half rate in each frame.
static void give_all(hem_scene* scene, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = scene->order[i];
        hemi_instance* instance = &scene->instances[index];
        give_level(scene, instance, scene->bids[index].best);
        hemi_given* given = instance->given;
        given->turn = (uint32_t)must_turn(instance);
        if (!given->turn && given->level < HEM_LEVEL_FROZEN) {
            const uint32_t period = hemi_pace_of(given->level)->period;
            given->turn = (instance->state->step_count + index) % period == 0;
        }
    }
}

// -- Why

static void write_reasons(const hem_scene* scene, uint32_t count, float room, float us, int over) {
    float left = room;
    for (uint32_t i = 0; i < count; ++i) {
        const hemi_instance* instance = &scene->instances[scene->order[i]];
        const hemi_bid* bid = &scene->bids[scene->order[i]];
        hemi_given* given = instance->given;
        const float now = now_of(instance, bid);
        left -= now;
        given->rank = i + 1;
        given->wanted_us = bid->mean[bid->best] * us;
        given->given_us = bid->mean[given->level] * us;
        given->now_us = now * us;
        given->left_us = left * us;
        given->reason = instance->state->asleep && given->level < HEM_LEVEL_FROZEN ? HEM_PLAN_ASLEEP
                        : given->level == bid->best                                ? HEM_PLAN_WANTED
                        : given->level == bid->worst && over                       ? HEM_PLAN_WORST
                        : best_at(bid, scene->spent->price) < given->level         ? HEM_PLAN_WAITS
                                                                                   : HEM_PLAN_PRICE;
    }
}

void hemi_plan_budget(hem_scene* scene) {
    hemi_spent* spent = scene->spent;
    if (!spent) {
        return;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (scene->instances[i].state->alive) {
            bid_for(scene, &scene->instances[i], &scene->bids[i]);
            scene->order[count++] = i;
        }
    }
    sort_order(scene, count);
    const float budget = scene->input->budget_us, us = 1e-3f * spent->scale;
    const float room = budget > 0.0f ? budget * (1.0f - MARGIN) / us : ENDLESS;
    spent->raised = spent->lowered = 0;
    spent->rank_count = count;
    float sum = 0.0f;
    if (budget > 0.0f) {
        spent->price = find_price(scene, count, room);
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t index = scene->order[i];
            give_level(scene, &scene->instances[index], level_at(&scene->bids[index], spent->price));
        }
        sum = give_turns(scene, count, room, budget / us);
    } else {
        spent->price = 0.0f;
        give_all(scene, count);
        for (uint32_t i = 0; i < count; ++i) {
            sum += now_of(&scene->instances[scene->order[i]], &scene->bids[scene->order[i]]);
        }
    }
    spent->planned_us = sum * us;
    write_reasons(scene, count, budget > 0.0f ? room : sum, us, sum > room);
}

void hemi_learn_scale(hemi_spent* spent, float measured_us) {
    if (!(spent->planned_us > 0.0f) || !(measured_us > 0.0f)) {
        return;
    }
    const float ratio = hem_clampf(measured_us / spent->planned_us, 0.5f, 2.0f); // a hitch is no news of the machine
    spent->scale = hem_clampf(spent->scale * (1.0f + (ratio - 1.0f) * LEARN), 0.125f, 8.0f);
}

// -- Calls

static hem_result check_room(const hem_scene* scene, const char* call, hem_result result) {
    if (result == HEM_OK && !scene->budget) {
        return hemi_refuse_value(scene, call, HEM_ERROR_RANGE, "hem_scene_def.budget", 0,
                                 "must be one of hem_budget_mode");
    }
    return result;
}

static hem_result say_us(hem_scene* scene, const char* call, hemi_op_id op, float us) {
    hem_result result = check_room(scene, call, hemi_check_idle(scene, call));
    hemi_fault fault;
    if (result != HEM_OK) {
        return result;
    }
    if (!hemi_is_fine(us, 0.0f, 1e6f, "microseconds", "must be 0 to 1000000", &fault)) {
        return hemi_refuse(scene, call, HEM_ERROR_RANGE, &fault);
    }
    hemi_apply(scene, NULL, &(hemi_op){op, 0, &(hemi_op_number){us}, NULL, 0});
    return HEM_OK;
}

hem_result hem_scene_set_budget(hem_scene* scene, float microseconds) {
    return say_us(scene, __func__, HEMI_OP_BUDGET, microseconds);
}

hem_result hem_scene_set_measured(hem_scene* scene, float microseconds) {
    return say_us(scene, __func__, HEMI_OP_MEASURED, microseconds);
}

hem_result hem_instance_set_importance(hem_scene* scene, hem_instance_id id, float importance) {
    hemi_instance* instance;
    hem_result result = check_room(scene, __func__, hemi_find_idle(scene, __func__, id, &instance));
    hemi_fault fault;
    if (result != HEM_OK) {
        return result;
    }
    if (!hemi_is_fine(importance, 0.0f, 1e6f, "importance", "must be 0 to 1000000", &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    hemi_apply(scene, instance, &(hemi_op){HEMI_OP_IMPORTANCE, 0, &(hemi_op_number){importance}, NULL, 0});
    return HEM_OK;
}

hem_result hem_instance_set_levels(hem_scene* scene, hem_instance_id id, hem_level best, hem_level worst) {
    hemi_instance* instance;
    hem_result result = check_room(scene, __func__, hemi_find_idle(scene, __func__, id, &instance));
    if (result != HEM_OK) {
        return result;
    }
    const hem_view* view = instance->view;
    if (!hemi_is_level(view, (uint32_t)best) || !hemi_is_level(view, (uint32_t)worst)) {
        const int which = hemi_is_level(view, (uint32_t)best);
        return hemi_refuse_value(
            scene, __func__, HEM_ERROR_RANGE, which ? "worst" : "best", which ? worst : best,
            "must be one of hem_level that the asset has: HEM_LEVEL_COARSE takes \"levels\" in its recipe");
    }
    if (best > worst) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "best", best, "must not be worse than worst");
    }
    const hemi_op_levels op = {(uint32_t)best, (uint32_t)worst};
    hemi_apply(scene, instance, &(hemi_op){HEMI_OP_LEVELS, 0, &op, NULL, 0});
    return HEM_OK;
}

float hem_importance(float radius, float distance, int visible) {
    if (!(radius > 0.0f) || !(distance >= 0.0f)) {
        return 0.0f;
    }
    // tan 30 degrees; nearer than it is large it fills the picture.
    const float share = hem_minf(radius / (0.57735027f * hem_maxf(distance, radius)), 1.0f);
    return visible ? share : 0.1f * share;
}

// -- Reading

hem_result hem_instance_get_plan(const hem_scene* scene, hem_instance_id id, hem_plan* plan) {
    hemi_instance* instance;
    hem_result result = check_room(scene, __func__, hemi_find_idle(scene, __func__, id, &instance));
    if (result != HEM_OK) {
        return result;
    }
    if (!plan) {
        return hemi_refuse_null(scene, __func__, "plan");
    }
    const hemi_given* given = instance->given;
    *plan = (hem_plan){.level = (hem_level)given->level,
                       .reason = (hem_plan_reason)given->reason,
                       .rank = given->rank,
                       .count = scene->spent->rank_count,
                       .simulated = given->turn,
                       .blend = (float)given->blend / (float)HEMI_BLEND,
                       .wanted_us = given->wanted_us,
                       .given_us = given->given_us,
                       .now_us = given->now_us,
                       .left_us = given->left_us};
    return HEM_OK;
}

static void add_us(hemi_text* text, const char* before, float us) {
    hemi_text_add(text, before);
    hemi_text_number(text, (double)hem_floorf(us + 0.5f));
}

hem_result hem_instance_plan_text(const hem_scene* scene, hem_instance_id id, char* text, size_t size) {
    static const char* const why[] = {": as good as it may have", ": others are worth more",
                                      ": it may rise when there has been room for a while", ": it may not fall further",
                                      ": asleep"};
    hem_plan plan;
    hemi_instance* instance;
    hem_result result = check_room(scene, __func__, hemi_find_idle(scene, __func__, id, &instance));
    if (result != HEM_OK) {
        return result;
    }
    if (!text) {
        return hemi_refuse_null(scene, __func__, "text");
    }
    hem_instance_get_plan(scene, id, &plan);
    hemi_text to = {text, size, 0};
    hemi_text_add(&to, hem_level_name(plan.level));
    hemi_text_add(&to, ": rank ");
    hemi_text_number(&to, plan.rank);
    hemi_text_add(&to, " of ");
    hemi_text_number(&to, plan.count);
    add_us(&to, ", wanted ", plan.wanted_us);
    add_us(&to, " us, given ", plan.given_us);
    add_us(&to, ", ", plan.left_us);
    hemi_text_add(&to, " left");
    hemi_text_add(&to, why[plan.reason]);
    return HEM_OK;
}

hem_result hem_scene_get_budget(const hem_scene* scene, hem_budget_report* report) {
    hem_result result = check_room(scene, __func__, hemi_check_idle(scene, __func__));
    if (result != HEM_OK) {
        return result;
    }
    if (!report) {
        return hemi_refuse_null(scene, __func__, "report");
    }
    memset(report, 0, sizeof(*report));
    report->budget_us = scene->input->budget_us;
    report->planned_us = scene->spent->planned_us;
    report->scale = scene->spent->scale;
    report->price = scene->spent->price * 1e3f; // bids are by the nanosecond
    report->raised = scene->spent->raised;
    report->lowered = scene->spent->lowered;
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (scene->instances[i].state->alive) {
            ++report->counts[scene->instances[i].given->level];
        }
    }
    return HEM_OK;
}

// Costs are sums of work times nanoseconds: with one of them 1 and the others 0 they are the work.
hem_result hem_instance_get_work(const hem_scene* scene, hem_instance_id id, hem_level level, float* work) {
    hemi_instance* instance;
    hem_result result = check_room(scene, __func__, hemi_find_idle(scene, __func__, id, &instance));
    if (result != HEM_OK) {
        return result;
    }
    if (!work) {
        return hemi_refuse_null(scene, __func__, "work");
    }
    if (!hemi_is_level(instance->view, (uint32_t)level)) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "level", level,
                                 "must be one of hem_level that the asset has");
    }
    for (uint32_t i = 0; i < HEM_COST_COUNT; ++i) {
        hem_costs one = {0};
        hemi_prices prices[HEM_MAX_LEVELS];
        const hemi_prices* const of[HEM_MAX_LEVELS] = {&prices[0], &prices[1], &prices[2], &prices[3]};
        hemi_bid bid;
        one.ns[i] = 1.0f;
        hemi_price(instance->view, &one, &prices[0]);
        for (uint32_t k = 1; k <= instance->view->level_count; ++k) {
            hemi_price(hemi_level_view(instance->view, k), &one, &prices[k]);
        }
        hemi_bid_of(scene, instance, of, &bid);
        work[i] = bid.mean[level];
    }
    return HEM_OK;
}
