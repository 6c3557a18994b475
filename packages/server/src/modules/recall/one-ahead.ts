/**
 * What is made of each item, in order, one at a time. The next one is begun before the last is handed over, so that it is made
 * while that is used.
 */
export async function* oneAhead<I, O>(
  items: Iterable<I> | AsyncIterable<I>,
  make: (item: I) => Promise<O>,
): AsyncGenerator<O, void, undefined> {
  let begun: Promise<O> | undefined;
  for await (const item of items) {
    const before = begun && { made: await begun };
    begun = make(item);
    // It fails when it is asked for, if it is.
    begun.catch(() => {});
    if (before) yield before.made;
  }
  if (begun !== undefined) yield await begun;
}
