// A plugin of QEMU for `benches/count --machine aarch64`: prints how many instructions the function `counted` of the program takes, with
// all functions that it calls. It counts the instructions of each block when the block begins, and stops at a `ret` of that function.
//
// gcc -shared -fPIC -O2 counted.c -o counted.so; the declarations are those of version 1 of the interface, QEMU 4.2 to 8.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
typedef uint64_t plugin_id;
struct block;
struct instruction;
EXPORT int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct block *));
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
void qemu_plugin_register_vcpu_tb_exec_inline(struct block *, int add, void *, uint64_t);
void qemu_plugin_register_vcpu_tb_exec_cb(struct block *, void (*)(unsigned, void *), int no_registers, void *);
size_t qemu_plugin_tb_n_insns(const struct block *);
struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t);
const char *qemu_plugin_insn_symbol(const struct instruction *);
const void *qemu_plugin_insn_data(const struct instruction *);

static const uint32_t RET = 0xD65F03C0;
static uint64_t all, before, counted;
static int is_inside;

static void executed(unsigned cpu, void *data) {
    uintptr_t len = (uintptr_t)data >> 1;
    if (!is_inside) {
        is_inside = 1;
        before = all - len;
    }
    if ((uintptr_t)data & 1) {
        is_inside = 0;
        counted += all - before;
    }
}

static void translated(plugin_id id, struct block *block) {
    size_t len = qemu_plugin_tb_n_insns(block);
    qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &all, len);
    const char *symbol = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
    if (symbol && strstr(symbol, "7counted")) {
        uint32_t last;
        memcpy(&last, qemu_plugin_insn_data(qemu_plugin_tb_get_insn(block, len - 1)), sizeof last);
        qemu_plugin_register_vcpu_tb_exec_cb(block, executed, 0, (void *)((uintptr_t)len << 1 | (last == RET)));
    }
}

static void ended(plugin_id id, void *data) { fprintf(stderr, "Collected : %llu\n", (unsigned long long)counted); }

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, 0);
    return 0;
}
