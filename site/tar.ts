import { gzipSync } from "node:zlib";

const blockSize = 512;

/** A header of the format ustar. The same files make the same archive: no times, no owners. */
function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(blockSize);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12), 100);
  // The sum of the header counts its own field as spaces.
  header.write("        0", 148);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/**
 * A compressed archive of text files, which `tar -xz` reads.
 *
 * @throws RangeError for a name of more than 100 bytes.
 */
export function tarGz(files: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(files).flatMap(([name, text]) => {
    if (Buffer.byteLength(name) > 100) throw new RangeError(`${name} is too long a name. Use up to 100 bytes.`);
    const content = Buffer.from(text);
    const rest = (blockSize - (content.length % blockSize)) % blockSize;
    return [headerOf(name, content.length), content, Buffer.alloc(rest)];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * blockSize)]));
}
