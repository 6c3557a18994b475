/** Marks errors of the store: they are no reason to make the index again. */
export function ofStore<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw Object.assign(error as Error, { isOfStore: true });
  }
}
