import type { Random } from "../values/random.ts";
import type { Keeper } from "./keeper.ts";

/** How many ids are reserved at a time. */
const blockSize = 1000;

/** Request ids. With a keeper, none repeats after a restart: the store holds the end of the block that they come from. */
export class ReservedIds implements Pick<Random, "uuid"> {
  readonly #random: Random;
  readonly #keeper: Keeper | undefined;
  #left = 0;
  /** The position after the latest id; another one shows that the sequence began again. */
  #position = Number.NaN;
  #end = 0;

  constructor(random: Random, keeper: Keeper | undefined) {
    this.#random = random;
    this.#keeper = keeper;
  }

  /** The position after the block. */
  get reservedUntil(): number {
    return this.#end;
  }

  uuid(): string {
    const random = this.#random;
    if (this.#keeper === undefined) return random.uuid();
    if (this.#left === 0 || random.position !== this.#position) {
      // A read needs no store, so it does not fail with one that takes nothing.
      if (!this.#keeper.canStore) return crypto.randomUUID();
      this.#left = blockSize;
      this.#end = random.positionAfter(blockSize);
      this.#keeper.touch("requestIds");
    }
    this.#left -= 1;
    const id = random.uuid();
    this.#position = random.position;
    return id;
  }

  /** Continues after a block, unless it is the present one. */
  goBack(end: number): void {
    if (end !== this.#end) this.resume(end);
  }

  /** Continues after a block. */
  resume(end: number): void {
    this.#random.position = end;
    this.#end = end;
    this.#left = 0;
  }
}
