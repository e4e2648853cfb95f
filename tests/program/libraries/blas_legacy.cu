/* cublas.h, the interface before CUDA 4, whose handle belongs to the context. */
#include <cublas.h>

#include "check.h"

int main()
{
    const int n = 48;
    Array<float> a(n * n), b(n * n), c(n * n);
    std::vector<number> product(n * n);
    number sum = 0;

    CALL(cublasInit());
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                product[j * n + i] += a[k * n + i] * b[k * n + j];
            sum += a[j * n + i] * b[j * n + i];
        }
    cublasSgemm('n', 't', n, n, n, 1, a.device, n, b.device, n, 0, c.device, n);
    CALL(cublasGetError());
    c.get();
    check_all("cublasSgemm", c, product, tolerance(0.0f));
    check("cublasSdot", std::abs(number(cublasSdot(n * n, a.device, 1, b.device, 1)) - sum) < 1e-4 * n);
    CALL(cublasShutdown());
    return report("cublas.h");
}
