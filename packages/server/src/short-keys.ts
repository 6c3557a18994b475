/** A key that is shorter can be guessed. */
const SAFE_KEY_CHARS = 16;

/** By its place in the list: a key is shown nowhere. */
export const shortKeys = (keys: readonly string[]): string[] =>
  keys.flatMap(({ length }, i) =>
    length < SAFE_KEY_CHARS
      ? [`MEM_API_KEYS: key ${i + 1} has ${length} characters; one of fewer than ${SAFE_KEY_CHARS} can be guessed`]
      : [],
  );
