/* cuSPARSE: triangular systems and an incomplete factorization, whose warps wait for each other. */
#include "sparse_matrix.h"

enum { ROWS = 403, WIDTH = 5 };

static cusparseHandle_t handle;
static const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

/* Solves L X = alpha B, column by column; full is stored by rows, B and X by columns. */
static std::vector<number> solved(const std::vector<number> &full, const std::vector<number> &b,
                                  int n, number alpha)
{
    std::vector<number> x(b.size());

    for (int c = 0; c < n; c++)
        for (int i = 0; i < ROWS; i++) {
            number sum = alpha * b[(size_t)c * ROWS + i];
            for (int k = 0; k < i; k++)
                sum -= full[(size_t)i * ROWS + k] * x[(size_t)c * ROWS + k];
            x[(size_t)c * ROWS + i] = sum / full[(size_t)i * ROWS + i];
        }
    return x;
}

template <class T> static std::vector<number> of(const Array<T> &a)
{
    std::vector<number> v;

    for (size_t i = 0; i < a.host.size(); i++)
        v.push_back(a[i]);
    return v;
}

static void *room(size_t bytes)
{
    void *p;

    CALL(cudaMalloc(&p, bytes + 1));
    return p;
}

/* ILU(0) of a matrix with five diagonals: L and U keep the places of its numbers. */
static void factorize(cusparseSolvePolicy_t policy, const char *what)
{
    enum { FAR = 14 };
    std::vector<int> starts, columns;
    std::vector<double> wanted((size_t)ROWS * ROWS);
    std::vector<number> expected;

    for (int i = 0; i < ROWS; i++) {
        starts.push_back((int)columns.size());
        for (int j = 0; j < ROWS; j++)
            if (i == j || abs(i - j) == 1 || abs(i - j) == FAR) {
                columns.push_back(j);
                wanted[(size_t)i * ROWS + j] = i == j ? 4 + i % 7 : -1 - 0.1 * (j % 5);
            }
    }
    starts.push_back((int)columns.size());
    Array<double> values(columns.size());
    for (int i = 0; i < ROWS; i++)
        for (int at = starts[i]; at < starts[i + 1]; at++)
            values.host[at] = wanted[(size_t)i * ROWS + columns[at]];
    values.put();
    for (int i = 0; i < ROWS; i++)
        for (int at = starts[i]; at < starts[i + 1] && columns[at] < i; at++) {
            double *row = &wanted[(size_t)i * ROWS];
            int k = columns[at];
            row[k] /= wanted[(size_t)k * ROWS + k];
            for (int more = at + 1; more < starts[i + 1]; more++)
                row[columns[more]] -= row[k] * wanted[(size_t)k * ROWS + columns[more]];
        }
    for (int i = 0; i < ROWS; i++)
        for (int at = starts[i]; at < starts[i + 1]; at++)
            expected.push_back(wanted[(size_t)i * ROWS + columns[at]]);

    int *at = OnDevice<double>::put(starts), *of_columns = OnDevice<double>::put(columns);
    int n = (int)columns.size(), bytes = 0;
    cusparseMatDescr_t general;
    csrilu02Info_t info;
    CALL(cusparseCreateMatDescr(&general));
    CALL(cusparseCreateCsrilu02Info(&info));
    CALL(cusparseDcsrilu02_bufferSize(handle, ROWS, n, general, values.device, at, of_columns, info,
                                      &bytes));
    void *buffer = room((size_t)bytes);
    CALL(cusparseDcsrilu02_analysis(handle, ROWS, n, general, values.device, at, of_columns, info,
                                    policy, buffer));
    CALL(cusparseDcsrilu02(handle, ROWS, n, general, values.device, at, of_columns, info, policy,
                           buffer));
    values.get();
    check_all(what, values, expected, 1e-12);
    cudaFree(buffer);
}

/* The calls before SpSV and SpSM, which CUDA 12 no longer has. */
static void solve_as_before(const Sparse<double> &s, const OnDevice<double> &a)
{
    int n = (int)s.columns.size(), bytes = 0;
    size_t more = 0;
    double alpha = 1.5;
    Array<double> b(ROWS), x(ROWS), m(ROWS * WIDTH);
    std::vector<number> wanted = solved(s.full, of(b), 1, alpha),
                        wanted_m = solved(s.full, of(m), WIDTH, alpha);
    cusparseMatDescr_t lower;
    csrsv2Info_t info;
    csrsm2Info_t info_m;

    CALL(cusparseCreateMatDescr(&lower));
    CALL(cusparseSetMatFillMode(lower, CUSPARSE_FILL_MODE_LOWER));
    CALL(cusparseCreateCsrsv2Info(&info));
    CALL(cusparseDcsrsv2_bufferSize(handle, plain, ROWS, n, lower, a.values.device, a.starts,
                                    a.columns, info, &bytes));
    void *buffer = room((size_t)bytes);
    CALL(cusparseDcsrsv2_analysis(handle, plain, ROWS, n, lower, a.values.device, a.starts,
                                  a.columns, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer));
    CALL(cusparseDcsrsv2_solve(handle, plain, ROWS, n, &alpha, lower, a.values.device, a.starts,
                               a.columns, info, b.device, x.device, CUSPARSE_SOLVE_POLICY_USE_LEVEL,
                               buffer));
    x.get();
    check_all("csrsv2", x, wanted, 1e-12);
    cudaFree(buffer);

    CALL(cusparseCreateCsrsm2Info(&info_m));
    CALL(cusparseDcsrsm2_bufferSizeExt(handle, 0, plain, plain, ROWS, WIDTH, n, &alpha, lower,
                                       a.values.device, a.starts, a.columns, m.device, ROWS, info_m,
                                       CUSPARSE_SOLVE_POLICY_NO_LEVEL, &more));
    buffer = room(more);
    CALL(cusparseDcsrsm2_analysis(handle, 0, plain, plain, ROWS, WIDTH, n, &alpha, lower,
                                  a.values.device, a.starts, a.columns, m.device, ROWS, info_m,
                                  CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
    CALL(cusparseDcsrsm2_solve(handle, 0, plain, plain, ROWS, WIDTH, n, &alpha, lower,
                               a.values.device, a.starts, a.columns, m.device, ROWS, info_m,
                               CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
    m.get();
    check_all("csrsm2", m, wanted_m, 1e-12);
    cudaFree(buffer);
}

/* SpSV: one right side. The blocks of its analysis wait for a counter to equal a number. */
template <class T>
static void solve_vector(const char *what, const Sparse<T> &s, cusparseSpMatDescr_t matrix,
                         cudaDataType_t type)
{
    T alpha = to<T>(1.5);
    Array<T> b(ROWS), x(ROWS);
    cusparseDnVecDescr_t db, dx;
    cusparseSpSVDescr_t plan;
    size_t bytes = 0;

    CALL(cusparseCreateDnVec(&db, ROWS, b.device, type));
    CALL(cusparseCreateDnVec(&dx, ROWS, x.device, type));
    CALL(cusparseSpSV_createDescr(&plan));
    CALL(cusparseSpSV_bufferSize(handle, plain, &alpha, matrix, db, dx, type,
                                 CUSPARSE_SPSV_ALG_DEFAULT, plan, &bytes));
    void *buffer = room(bytes);
    CALL(cusparseSpSV_analysis(handle, plain, &alpha, matrix, db, dx, type,
                               CUSPARSE_SPSV_ALG_DEFAULT, plan, buffer));
    CALL(cusparseSpSV_solve(handle, plain, &alpha, matrix, db, dx, type, CUSPARSE_SPSV_ALG_DEFAULT,
                            plan));
    x.get();
    check_all(what, x, solved(s.full, of(b), 1, value(alpha)), 10 * tolerance(T()));
    CALL(cusparseSpSV_destroyDescr(plan));
    cudaFree(buffer);
}

/* SpSM: several right sides. */
template <class T>
static void solve_matrix(const char *what, const Sparse<T> &s, cusparseSpMatDescr_t matrix,
                         cudaDataType_t type)
{
    T alpha = to<T>(1.5);
    Array<T> b(ROWS * WIDTH), x(ROWS * WIDTH);
    cusparseDnMatDescr_t db, dx;
    cusparseSpSMDescr_t plan;
    size_t bytes = 0;

    CALL(cusparseCreateDnMat(&db, ROWS, WIDTH, ROWS, b.device, type, CUSPARSE_ORDER_COL));
    CALL(cusparseCreateDnMat(&dx, ROWS, WIDTH, ROWS, x.device, type, CUSPARSE_ORDER_COL));
    CALL(cusparseSpSM_createDescr(&plan));
    CALL(cusparseSpSM_bufferSize(handle, plain, plain, &alpha, matrix, db, dx, type,
                                 CUSPARSE_SPSM_ALG_DEFAULT, plan, &bytes));
    void *buffer = room(bytes);
    CALL(cusparseSpSM_analysis(handle, plain, plain, &alpha, matrix, db, dx, type,
                               CUSPARSE_SPSM_ALG_DEFAULT, plan, buffer));
    CALL(cusparseSpSM_solve(handle, plain, plain, &alpha, matrix, db, dx, type,
                            CUSPARSE_SPSM_ALG_DEFAULT, plan));
    x.get();
    check_all(what, x, solved(s.full, of(b), WIDTH, value(alpha)), 10 * tolerance(T()));
    CALL(cusparseSpSM_destroyDescr(plan));
    cudaFree(buffer);
}

template <class T> static void solve(cudaDataType_t type)
{
    Sparse<T> s(ROWS, ROWS, true);
    OnDevice<T> a(s, type, 30);
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;

    CALL(cusparseSpMatSetAttribute(a.csr, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof(lower)));
    CALL(cusparseSpMatSetAttribute(a.coo, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof(lower)));
    solve_vector<T>("SpSV, rows", s, a.csr, type);
    solve_vector<T>("SpSV, coordinates", s, a.coo, type);
    solve_matrix<T>("SpSM, rows", s, a.csr, type);
    solve_matrix<T>("SpSM, coordinates", s, a.coo, type);
}

int main()
{
    CALL(cusparseCreate(&handle));
    factorize(CUSPARSE_SOLVE_POLICY_USE_LEVEL, "csrilu02, with levels");
    factorize(CUSPARSE_SOLVE_POLICY_NO_LEVEL, "csrilu02, without levels");
    Sparse<double> s(ROWS, ROWS, true);
    OnDevice<double> a(s, CUDA_R_64F, 30);
    solve_as_before(s, a);
    solve<float>(CUDA_R_32F);
    solve<double>(CUDA_R_64F);
    solve<cuFloatComplex>(CUDA_C_32F);
    solve<cuDoubleComplex>(CUDA_C_64F);
    CALL(cusparseDestroy(handle));
    return report("cusparse, triangular systems");
}
