/* Sparse matrices for the programs that try cuSPARSE. */
#include <cusparse.h>

#include "check.h"

/* A matrix as compressed rows, and in full. */
template <class T> struct Sparse {
    std::vector<int> starts, columns, rows;
    std::vector<number> full;
    int n_rows, n_columns;

    Sparse(int n, int m, bool triangular) : full((size_t)n * m), n_rows(n), n_columns(m)
    {
        for (int i = 0; i < n; i++) {
            starts.push_back((int)columns.size());
            for (int j = 0; j < m; j++)
                if (triangular ? j == i || (j < i && (i * 7 + j * 13) % 11 == 0)
                               : (i * 31 + j * 17) % (3 + i % 40) == 0) {
                    columns.push_back(j);
                    rows.push_back(i);
                }
        }
        starts.push_back((int)columns.size());
    }
};

template <class T> struct OnDevice {
    Array<T> values;
    int *starts, *columns, *rows;
    cusparseSpMatDescr_t csr, coo;

    OnDevice(Sparse<T> &s, cudaDataType_t type, double diagonal)
        : values(s.columns.size()), starts(put(s.starts)), columns(put(s.columns)),
          rows(put(s.rows))
    {
        for (size_t i = 0; i < s.columns.size(); i++) {
            if (diagonal != 0 && s.rows[i] == s.columns[i])
                make(values.host[i], diagonal + s.rows[i]);
            s.full[(size_t)s.rows[i] * s.n_columns + s.columns[i]] = values[i];
        }
        values.put();
        CALL(cusparseCreateCsr(&csr, s.n_rows, s.n_columns, (int64_t)s.columns.size(), starts,
                               columns, values.device, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, type));
        CALL(cusparseCreateCoo(&coo, s.n_rows, s.n_columns, (int64_t)s.columns.size(), rows,
                               columns, values.device, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               type));
    }

    static int *put(const std::vector<int> &list)
    {
        int *p;

        CALL(cudaMalloc((void **)&p, list.size() * sizeof(int)));
        CALL(cudaMemcpy(p, list.data(), list.size() * sizeof(int), cudaMemcpyHostToDevice));
        return p;
    }
};
