/* Keeps the support library non-empty. */
typedef int rb_test_support_empty;
