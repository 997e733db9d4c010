// Response headers that become a `Headers` when a program needs one: that costs more time than the rest of a response.
import { inspect } from "node:util";

const named = (names: readonly string[], name: string): string[] => {
  const wanted = name.toLowerCase();
  const values: string[] = [];
  for (let at = 0; at < names.length; at += 2) {
    const one = names[at] ?? "";
    // Comparing lengths first leaves out nearly all.
    if (one.length === wanted.length && one.toLowerCase() === wanted) values.push(names[at + 1] ?? "");
  }
  return values;
};

export class LazyHeaders implements Headers {
  /** Names and values in turn, as node:http has them. */
  readonly #raw: readonly string[];
  #whole: Headers | undefined;

  static {
    // So it is an instance of Headers, without the cost of one.
    Object.setPrototypeOf(LazyHeaders.prototype, Headers.prototype);
  }

  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    if (this.#whole) return this.#whole.get(name);
    const values = named(this.#raw, name);
    return values.length === 0 ? null : values.join(", ");
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  append(name: string, value: string): void {
    this.#all().append(name, value);
  }

  delete(name: string): void {
    this.#all().delete(name);
  }

  set(name: string, value: string): void {
    this.#all().set(name, value);
  }

  getSetCookie(): string[] {
    return this.#all().getSetCookie();
  }

  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArg?: unknown): void {
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }

  entries(): HeadersIterator<[string, string]> {
    return this.#all().entries();
  }

  keys(): HeadersIterator<string> {
    return this.#all().keys();
  }

  values(): HeadersIterator<string> {
    return this.#all().values();
  }

  [Symbol.iterator](): HeadersIterator<[string, string]> {
    return this.entries();
  }

  [inspect.custom](): unknown {
    return this.#all();
  }

  #all(): Headers {
    if (this.#whole) return this.#whole;
    this.#whole = new Headers();
    for (let at = 0; at < this.#raw.length; at += 2) this.#whole.append(this.#raw[at] ?? "", this.#raw[at + 1] ?? "");
    return this.#whole;
  }
}
