import { isIP, type LookupFunction } from "node:net";

/** A look-up that finds the same addresses for every name: the Host header and the certificate check keep the name. */
export function lookupOf(first: string, ...others: readonly string[]): LookupFunction {
  return (_hostname, { all }, done) => {
    if (all)
      done(
        null,
        [first, ...others].map((address) => ({ address, family: isIP(address) })),
      );
    else done(null, first, isIP(first));
  };
}
