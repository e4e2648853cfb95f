#include "frontend/input/rbt/read/rbt_pages.h"

#include <stdlib.h>
#include <zstd.h>

#include "sim/core/alloc.h"

void rbt_pages_init(rbt_pages_t *p)
{
    *p = (rbt_pages_t){0};
    pthread_mutex_init(&p->lock, NULL);
}

void rbt_pages_free(rbt_pages_t *p)
{
    rbt_pages_give(p, p->last);
    while (p->n_spare > 0)
        ZSTD_freeDCtx(p->spare[--p->n_spare]);
    pthread_mutex_destroy(&p->lock);
}

/* The last page, if it is the wanted one. */
static rbt_shared_page_t *take_last(rbt_pages_t *p, size_t number)
{
    rbt_shared_page_t *page;

    pthread_mutex_lock(&p->lock);
    page = p->last != NULL && p->last->number == number ? p->last : NULL;
    if (page != NULL)
        page->users++;
    pthread_mutex_unlock(&p->lock);
    return page;
}

rb_code_t rbt_pages_take(rbt_pages_t *p, const rbt_file_t *f, size_t number,
                         rbt_unpacker_t *unpacker, rbt_shared_page_t **out, rb_err_t *err)
{
    rbt_shared_page_t *page, *before;

    *out = take_last(p, number);
    if (*out != NULL)
        return RB_OK;
    page = rb_calloc(1, sizeof(*page));
    page->number = number;
    page->users = 2;
    rb_code_t code = rbt_page_read(&page->page, f, number, unpacker, err);

    if (code != RB_OK) {
        rbt_page_free(&page->page);
        free(page);
        return code;
    }
    pthread_mutex_lock(&p->lock);
    before = p->last;
    p->last = page;
    pthread_mutex_unlock(&p->lock);
    rbt_pages_give(p, before);
    *out = page;
    return RB_OK;
}

void rbt_pages_give(rbt_pages_t *p, rbt_shared_page_t *page)
{
    if (page == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    const bool unused = --page->users == 0;
    pthread_mutex_unlock(&p->lock);
    if (!unused)
        return;
    rbt_page_free(&page->page);
    free(page);
}

rbt_unpacker_t *rbt_pages_take_unpacker(rbt_pages_t *p)
{
    rbt_unpacker_t *unpacker = NULL;

    pthread_mutex_lock(&p->lock);
    if (p->n_spare > 0)
        unpacker = p->spare[--p->n_spare];
    pthread_mutex_unlock(&p->lock);
    return unpacker != NULL ? unpacker : ZSTD_createDCtx();
}

void rbt_pages_give_unpacker(rbt_pages_t *p, rbt_unpacker_t *unpacker)
{
    pthread_mutex_lock(&p->lock);
    if (p->n_spare < RBT_SPARE_UNPACKERS) {
        p->spare[p->n_spare++] = unpacker;
        unpacker = NULL;
    }
    pthread_mutex_unlock(&p->lock);
    ZSTD_freeDCtx(unpacker);
}
