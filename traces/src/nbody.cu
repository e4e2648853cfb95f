/* Accelerations of n bodies (x, y, z, mass) by all others; n is a multiple of the block. */
extern "C" __global__ void nbody(const float4 *body, float4 *acceleration, float softening, int n)
{
    __shared__ float4 tile[128];
    float4 me = body[blockIdx.x * blockDim.x + threadIdx.x], sum = {0, 0, 0, 0};

    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < blockDim.x; k++) {
            float4 other = tile[k];
            float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
            float r = rsqrtf(x * x + y * y + z * z + softening);
            float f = other.w * r * r * r;
            sum.x += f * x;
            sum.y += f * y;
            sum.z += f * z;
        }
        __syncthreads();
    }
    acceleration[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
