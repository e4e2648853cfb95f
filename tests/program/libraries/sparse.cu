/* cuSPARSE: products of a sparse matrix with vectors and matrices, and with each other. */
#include "sparse_matrix.h"

enum { ROWS = 203, COLUMNS = 150, WIDTH = 20 };

static cusparseHandle_t handle;

/* alpha * A * x + beta * y for each of n columns; full is stored by rows, the others by columns. */
static std::vector<number> product(const std::vector<number> &full, int n_rows, int n_columns,
                                   bool transposed, const std::vector<number> &x,
                                   const std::vector<number> &y, int n, number alpha, number beta)
{
    int out = transposed ? n_columns : n_rows, in = transposed ? n_rows : n_columns;
    std::vector<number> r((size_t)out * n);

    for (int c = 0; c < n; c++)
        for (int i = 0; i < out; i++) {
            number sum = 0;
            for (int k = 0; k < in; k++)
                sum += full[transposed ? (size_t)k * n_columns + i : (size_t)i * n_columns + k] *
                       x[(size_t)c * in + k];
            r[(size_t)c * out + i] = alpha * sum + beta * y[(size_t)c * out + i];
        }
    return r;
}

template <class T> static std::vector<number> of(const Array<T> &a)
{
    std::vector<number> v;

    for (size_t i = 0; i < a.host.size(); i++)
        v.push_back(a[i]);
    return v;
}

template <class T>
static void vector_product(const char *what, const Sparse<T> &s, cusparseSpMatDescr_t matrix,
                           cudaDataType_t type, cusparseOperation_t op, cusparseSpMVAlg_t how)
{
    bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    Array<T> x(transposed ? ROWS : COLUMNS), y(transposed ? COLUMNS : ROWS);
    T alpha = to<T>(number(1.5, 0.5)), beta = to<T>(number(-1, 1));
    std::vector<number> wanted =
        product(s.full, ROWS, COLUMNS, transposed, of(x), of(y), 1, value(alpha), value(beta));
    cusparseDnVecDescr_t dx, dy;
    size_t bytes = 0;
    void *buffer;

    CALL(cusparseCreateDnVec(&dx, (int64_t)x.host.size(), x.device, type));
    CALL(cusparseCreateDnVec(&dy, (int64_t)y.host.size(), y.device, type));
    CALL(cusparseSpMV_bufferSize(handle, op, &alpha, matrix, dx, &beta, dy, type, how, &bytes));
    CALL(cudaMalloc(&buffer, bytes + 1));
    CALL(cusparseSpMV(handle, op, &alpha, matrix, dx, &beta, dy, type, how, buffer));
    y.get();
    check_all(what, y, wanted, 10 * tolerance(T()));
    cudaFree(buffer);
}

template <class T>
static void matrix_product(const char *what, const Sparse<T> &s, cusparseSpMatDescr_t matrix,
                           cudaDataType_t type, cusparseSpMMAlg_t how)
{
    Array<T> b(COLUMNS * WIDTH), c(ROWS * WIDTH);
    T alpha = to<T>(number(0.5, 0.5)), beta = to<T>(number(2, 0));
    std::vector<number> wanted = product(s.full, ROWS, COLUMNS, false, of(b), of(c), WIDTH,
                                         value(alpha), value(beta));
    cusparseDnMatDescr_t db, dc;
    cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    void *buffer;

    CALL(cusparseCreateDnMat(&db, COLUMNS, WIDTH, COLUMNS, b.device, type, CUSPARSE_ORDER_COL));
    CALL(cusparseCreateDnMat(&dc, ROWS, WIDTH, ROWS, c.device, type, CUSPARSE_ORDER_COL));
    CALL(cusparseSpMM_bufferSize(handle, plain, plain, &alpha, matrix, db, &beta, dc, type, how,
                                 &bytes));
    CALL(cudaMalloc(&buffer, bytes + 1));
    CALL(cusparseSpMM(handle, plain, plain, &alpha, matrix, db, &beta, dc, type, how, buffer));
    c.get();
    check_all(what, c, wanted, 10 * tolerance(T()));
    cudaFree(buffer);
}

/* The product of a sparse matrix and its like, compared as full matrices. */
template <class T> static void sparse_product(cudaDataType_t type)
{
    Sparse<T> s(ROWS, ROWS, true);
    OnDevice<T> a(s, type, 1);
    T one = to<T>(1), zero = to<T>(0);
    cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseSpGEMMAlg_t how = CUSPARSE_SPGEMM_DEFAULT;
    cusparseSpMatDescr_t c;
    cusparseDnMatDescr_t dense;
    cusparseSpGEMMDescr_t plan;
    size_t bytes[2] = {0};
    void *buffers[2], *starts, *columns, *values, *buffer;
    int64_t rows, cols, count;
    Array<T> full(ROWS * ROWS);

    CALL(cudaMalloc(&starts, (ROWS + 1) * sizeof(int)));
    CALL(cusparseCreateCsr(&c, ROWS, ROWS, 0, starts, NULL, NULL, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
    CALL(cusparseSpGEMM_createDescr(&plan));
    CALL(cusparseSpGEMM_workEstimation(handle, plain, plain, &one, a.csr, a.csr, &zero, c, type,
                                       how, plan, &bytes[0], NULL));
    CALL(cudaMalloc(&buffers[0], bytes[0]));
    CALL(cusparseSpGEMM_workEstimation(handle, plain, plain, &one, a.csr, a.csr, &zero, c, type,
                                       how, plan, &bytes[0], buffers[0]));
    CALL(cusparseSpGEMM_compute(handle, plain, plain, &one, a.csr, a.csr, &zero, c, type, how, plan,
                                &bytes[1], NULL));
    CALL(cudaMalloc(&buffers[1], bytes[1]));
    CALL(cusparseSpGEMM_compute(handle, plain, plain, &one, a.csr, a.csr, &zero, c, type, how, plan,
                                &bytes[1], buffers[1]));
    CALL(cusparseSpMatGetSize(c, &rows, &cols, &count));
    CALL(cudaMalloc(&columns, (size_t)count * sizeof(int)));
    CALL(cudaMalloc(&values, (size_t)count * sizeof(T)));
    CALL(cusparseCsrSetPointers(c, starts, columns, values));
    CALL(cusparseSpGEMM_copy(handle, plain, plain, &one, a.csr, a.csr, &zero, c, type, how, plan));

    CALL(cusparseCreateDnMat(&dense, ROWS, ROWS, ROWS, full.device, type, CUSPARSE_ORDER_ROW));
    CALL(cusparseSparseToDense_bufferSize(handle, c, dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                          &bytes[0]));
    CALL(cudaMalloc(&buffer, bytes[0] + 1));
    CALL(cusparseSparseToDense(handle, c, dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
    full.get();
    std::vector<number> wanted(ROWS * ROWS);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < ROWS; k++)
            for (int j = 0; j < ROWS; j++)
                wanted[i * ROWS + j] += s.full[i * ROWS + k] * s.full[k * ROWS + j];
    check_all("SpGEMM and SparseToDense", full, wanted, 10 * tolerance(T()));
}

template <class T> static void try_type(cudaDataType_t type)
{
    Sparse<T> s(ROWS, COLUMNS, false);
    OnDevice<T> a(s, type, 0);

    vector_product<T>("SpMV, rows", s, a.csr, type, CUSPARSE_OPERATION_NON_TRANSPOSE,
                      CUSPARSE_SPMV_CSR_ALG1);
    vector_product<T>("SpMV, rows, second algorithm", s, a.csr, type,
                      CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_SPMV_CSR_ALG2);
    vector_product<T>("SpMV, rows, transposed", s, a.csr, type, CUSPARSE_OPERATION_TRANSPOSE,
                      CUSPARSE_SPMV_ALG_DEFAULT);
    vector_product<T>("SpMV, coordinates", s, a.coo, type, CUSPARSE_OPERATION_NON_TRANSPOSE,
                      CUSPARSE_SPMV_COO_ALG1);
    matrix_product<T>("SpMM, rows", s, a.csr, type, CUSPARSE_SPMM_CSR_ALG1);
    matrix_product<T>("SpMM, rows, third algorithm", s, a.csr, type, CUSPARSE_SPMM_CSR_ALG3);
    matrix_product<T>("SpMM, coordinates", s, a.coo, type, CUSPARSE_SPMM_COO_ALG1);
    sparse_product<T>(type);
}

int main()
{
    CALL(cusparseCreate(&handle));
    try_type<float>(CUDA_R_32F);
    try_type<double>(CUDA_R_64F);
    try_type<cuComplex>(CUDA_C_32F);
    try_type<cuDoubleComplex>(CUDA_C_64F);
    CALL(cusparseDestroy(handle));
    return report("cusparse");
}
