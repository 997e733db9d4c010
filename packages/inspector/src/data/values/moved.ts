/** A list with one entry at another place. */
export function moved<Entry>(list: readonly Entry[], from: number, to: number): readonly Entry[] {
  const [entry] = list.slice(from, from + 1);
  return entry === undefined ? list : list.toSpliced(from, 1).toSpliced(to, 0, entry);
}
