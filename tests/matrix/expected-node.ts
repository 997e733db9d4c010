// Loaded in each process that runs tests for a row of the matrix: no other Node may have taken its place.
const expected = process.env.MATRIX_NODE;
if (expected !== undefined && process.version !== expected)
  throw new Error(`This row of the matrix is for Node ${expected}, but ${process.version} runs it. Correct the PATH.`);
