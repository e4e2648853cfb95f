// Each thread merges two sorted runs of whole numbers, two at a time. The lengths differ, so the lanes go round the
// loop by different ways: those with numbers left in both runs begin the region of the barrier anew while others wait.
extern "C" __global__ void merge(const int2 *in, int2 *out, const int *starts, int half, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int first = starts[i], end = starts[i + 1], middle = first + half;
    if (first >= end)
        return;
    if (middle >= end) {
        for (int k = first; k < end; k++)
            out[k] = in[k];
        return;
    }
    int at = 0, other = 0, o = first;
    int2 a = in[first], b = in[middle];
    while (true) {
        int2 next_a = in[first + at + 1], next_b = in[middle + other + 1];
        int2 low, high;
        int x = min(a.x, b.x), y = max(a.x, b.x), z = min(a.y, b.y), w = max(a.y, b.y);
        low.x = x;
        low.y = min(y, z);
        high.x = max(y, z);
        high.y = w;
        out[o++] = low;
        a = high;
        bool left_a = at + 1 < half, left_b = other + 1 < half && middle + other + 1 < end;
        if (left_a) {
            if (left_b) {
                if (next_a.x < next_b.x) { at += 1; b = next_a; }
                else { other += 1; b = next_b; }
            } else {
                at += 1;
                b = next_a;
            }
        } else {
            if (left_b) { other += 1; b = next_b; }
            else break;
        }
    }
    out[o] = a;
}
