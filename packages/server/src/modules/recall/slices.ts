/** How many texts are taken at once, and their characters, or one. */
export type SliceLimit = { texts: number; chars: number };

export function* slicesOf<T>(
  all: readonly T[],
  charsOf: (one: T) => number,
  { texts: most, chars: mostChars }: SliceLimit,
): Generator<T[]> {
  let slice: T[] = [];
  let chars = 0;
  for (const one of all) {
    const more = charsOf(one);
    if (slice.length > 0 && (slice.length === most || chars + more > mostChars)) {
      yield slice;
      slice = [];
      chars = 0;
    }
    slice.push(one);
    chars += more;
  }
  if (slice.length > 0) yield slice;
}
