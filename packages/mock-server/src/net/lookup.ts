import { isIP, type LookupFunction } from "node:net";

/** A look-up that finds one address for every name: the Host header and the certificate check keep the name. */
export function lookupOf(address: string): LookupFunction {
  return (_hostname, { all }, done) => {
    const family = isIP(address);
    if (all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}
