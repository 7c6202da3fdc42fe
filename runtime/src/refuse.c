// SPDX-License-Identifier: MIT
#include "runtime/src/refuse.h"

// -- Text

void hemi_text_add(hemi_text* text, const char* more) {
    while (more && *more && text->used + 1 < text->size) {
        text->begin[text->used++] = *more++;
    }
    if (text->size) {
        text->begin[text->used] = '\0';
    }
}

static void add_whole(hemi_text* text, uint64_t value) {
    char digits[24];
    uint32_t at = sizeof(digits) - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    hemi_text_add(text, digits + at);
}

// Six digits, as whole = digits * 10^exponent; the value is finite and above zero.
static uint64_t six_digits(double value, int* exponent) {
    int e = 0;
    while (value >= 999999.5) {
        value /= 10.0;
        ++e;
    }
    while (value < 99999.95 && e > -400) {
        value *= 10.0;
        --e;
    }
    uint64_t digits = (uint64_t)(value + 0.5);
    while (digits && digits % 10 == 0) {
        digits /= 10;
        ++e;
    }
    *exponent = e;
    return digits;
}

void hemi_text_number(hemi_text* text, double value) {
    if (!(value == value)) {
        hemi_text_add(text, "not a number");
        return;
    }
    if (value < 0.0) {
        hemi_text_add(text, "-");
        value = -value;
    }
    if (value > 1.7e308) {
        hemi_text_add(text, "infinity");
        return;
    }
    if (value < 9.0e15 && value == (double)(uint64_t)value) {
        add_whole(text, (uint64_t)value);
        return;
    }
    int exponent;
    uint64_t digits = six_digits(value, &exponent);
    if (exponent < 0 && exponent >= -9) { // 0.0125, 59.94
        uint64_t unit = 1;
        for (int i = exponent; i < 0; ++i) {
            unit *= 10;
        }
        add_whole(text, digits / unit);
        hemi_text_add(text, ".");
        for (unit /= 10; unit; unit /= 10) {
            const char digit[2] = {(char)('0' + digits / unit % 10), '\0'};
            hemi_text_add(text, digit);
        }
        return;
    }
    add_whole(text, digits);
    hemi_text_add(text, exponent < 0 ? "e-" : "e");
    add_whole(text, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

static void add_index(hemi_text* text, int32_t index) {
    if (index >= 0) {
        hemi_text_add(text, "[");
        add_whole(text, (uint64_t)index);
        hemi_text_add(text, "]");
    }
}

void hemi_text_fault(hemi_text* text, const char* call, hem_result result, const hemi_fault* fault) {
    text->used = 0;
    hemi_text_add(text, call);
    hemi_text_add(text, ": ");
    if (fault && (fault->of || fault->field)) {
        hemi_text_add(text, fault->of);
        add_index(text, fault->of ? fault->of_index : HEM_NONE);
        hemi_text_add(text, fault->of && fault->field ? "." : NULL);
        hemi_text_add(text, fault->field);
        add_index(text, fault->field_index);
        if (fault->has_value) {
            hemi_text_add(text, " is ");
            hemi_text_number(text, fault->value);
        }
        hemi_text_add(text, fault->rule && !fault->has_value ? " " : ": ");
    }
    if (fault && !fault->rule && fault->low < fault->high) {
        hemi_text_add(text, "must be ");
        hemi_text_number(text, fault->low);
        hemi_text_add(text, " to ");
        hemi_text_number(text, fault->high);
        return;
    }
    hemi_text_add(text, fault && fault->rule ? fault->rule : hem_result_text(result));
}

// -- Refusals

hem_result hemi_refuse(const hem_scene* scene, const char* call, hem_result result, const hemi_fault* fault) {
    // Reading calls take a const scene and may run at once: who comes while another writes leaves it to that one.
    hemi_refusal* refusal = (hemi_refusal*)(uintptr_t)&scene->refusal;
    if (!HEM_ATOMIC_SWAP(&refusal->writing, 1u)) {
        hemi_text text = {refusal->text, sizeof(refusal->text), 0};
        hemi_text_fault(&text, call, result, fault);
        HEM_ATOMIC_STORE(&refusal->writing, 0u);
    }
    return result;
}

hem_result hemi_refuse_null(const hem_scene* scene, const char* call, const char* field) {
    const hemi_fault fault = hemi_fault_null(field);
    return hemi_refuse(scene, call, HEM_ERROR_NULL, &fault);
}

hem_result hemi_refuse_value(const hem_scene* scene, const char* call, hem_result result, const char* field,
                             double value, const char* rule) {
    const hemi_fault fault = hemi_fault_value(field, HEM_NONE, value, rule);
    return hemi_refuse(scene, call, result, &fault);
}

const char* hem_scene_refusal(const hem_scene* scene) {
    hem_result result = hemi_check(scene);
    return result == HEM_OK ? scene->refusal.text : hem_result_text(result);
}
