// The format of SQLite's write-ahead log, https://sqlite.org/fileformat2.html#walformat. SQLite itself stops at the first frame
// that does not fit, without a word: a damaged log looks to it like one that ended there.

/** What of a log cannot be read. */
export interface LogDamage {
  /** Bytes from the first frame that does not fit to the end. */
  readonly unreadableBytes: number;
  /** How many commits these bytes complete, at most: what says so may be damaged too. */
  readonly commits: number;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
/** Without the lowest bit, which says how numbers are read for checksums. */
const magic = 0x377f0682;
/** How many times one process may have begun the log again, of which an older version left the frames behind. */
const mostGenerations = 2 ** 20;

type Sums = readonly [number, number];

/**
 * Finds what SQLite would leave out of a log. Undefined if that is nothing which was committed: a killed process leaves the
 * beginning of a transaction, and older versions left frames of the log before.
 */
export function findLogDamage(log: Buffer, pageSize: number): LogDamage | undefined {
  const frameBytes = frameHeaderBytes + pageSize;
  if (log.length < headerBytes + frameBytes) return undefined;
  const salts: Sums = [log.readUInt32BE(16), log.readUInt32BE(20)];
  const isBigEndian = (log.readUInt32BE(0) & 1) === 1;
  let sums = checksum(log, 0, 24, [0, 0], isBigEndian);
  if ((log.readUInt32BE(0) & ~1) >>> 0 !== magic || log.readUInt32BE(8) !== pageSize || !isAt(log, 24, sums))
    return damageFrom(log, headerBytes, frameBytes, undefined);
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    const own = checksum(log, at, 8, sums, isBigEndian);
    sums = checksum(log, at + frameHeaderBytes, pageSize, own, isBigEndian);
    if (!isAt(log, at + 8, salts) || !isAt(log, at + 16, sums)) return damageFrom(log, at, frameBytes, salts);
  }
  return undefined;
}

/** The damage if the frames from a place on complete any commit; without salts, all of them count. */
function damageFrom(log: Buffer, from: number, frameBytes: number, salts: Sums | undefined): LogDamage | undefined {
  let commits = 0;
  for (let at = from; at + frameBytes <= log.length; at += frameBytes)
    if (log.readUInt32BE(at + 4) !== 0 && (salts === undefined || !isOfEarlierLog(log, at, salts))) commits += 1;
  return commits === 0 ? undefined : { unreadableBytes: log.length - from, commits };
}

/** Each log that one process begins has the next first salt, and another second one. */
function isOfEarlierLog(log: Buffer, at: number, [first, second]: Sums): boolean {
  const age = (first - log.readUInt32BE(at + 8)) >>> 0;
  return age > 0 && age < mostGenerations && log.readUInt32BE(at + 12) !== second;
}

function isAt(log: Buffer, at: number, [first, second]: Sums): boolean {
  return log.readUInt32BE(at) === first && log.readUInt32BE(at + 4) === second;
}

function checksum(log: Buffer, from: number, length: number, sums: Sums, isBigEndian: boolean): Sums {
  const view = new DataView(log.buffer, log.byteOffset + from, length);
  let [first, second] = sums;
  for (let at = 0; at < length; at += 8) {
    first = (first + view.getUint32(at, !isBigEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, !isBigEndian) + first) >>> 0;
  }
  return [first, second];
}
