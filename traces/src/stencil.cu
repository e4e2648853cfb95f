/* A 7-point stencil on a grid of nx x ny x nz cells; each thread goes through a column of cells. */
extern "C" __global__ void stencil(const float *in, float *out, float c0, float c1, int nx, int ny,
                                   int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1)
        return;
    int at = j * nx + i, plane = nx * ny;
    float below = in[at], here = in[at + plane];
    for (int k = 1; k < nz - 1; k++) {
        at += plane;
        float above = in[at + plane];
        float around = in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx];
        out[at] = c0 * here + c1 * (below + above + around);
        below = here;
        here = above;
    }
}
