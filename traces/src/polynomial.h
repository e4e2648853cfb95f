/* Included by lines.cu: inlined into its kernel. */
__device__ __forceinline__ float polynomial(float x)
{
    float y = x * 1.5f;
    y = y * x + 0.25f;
    return y;
}
