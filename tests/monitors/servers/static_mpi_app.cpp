// A program that is linked statically and contains functions of MPI.
extern "C" int MPI_Init(int*, char***) { return 0; }
extern "C" int PMPI_Init(int* count, char*** words) { return MPI_Init(count, words); }

int main(int count, char** words) { return PMPI_Init(&count, &words); }
