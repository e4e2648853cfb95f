/* One level of a breadth-first search: nodes at the level give theirs plus one to the unvisited. */
extern "C" __global__ void bfs_level(const int *first, const int *edges, int *level, int *changed,
                                     int now, int n)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;

    if (node >= n || level[node] != now)
        return;
    for (int e = first[node]; e < first[node + 1]; e++) {
        int to = edges[e];
        if (level[to] < 0) {
            level[to] = now + 1;
            *changed = 1;
        }
    }
}
