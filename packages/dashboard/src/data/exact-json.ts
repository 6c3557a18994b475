/** Values come back exactly as they were written; JSON.parse alone would change 12345678901234567890 and 1.0. */
type RawJson = { rawJSON: string };
type ExactParser = (
  text: string,
  revive: (name: string, value: unknown, about?: { source?: string }) => unknown,
) => unknown;

const json = JSON as unknown as {
  parse: ExactParser;
  rawJSON?: (text: string) => RawJson;
  isRawJSON?: (value: unknown) => value is RawJson;
};

/** The text of a number that JavaScript would change; undefined for any other value. */
export const rawNumber = (value: unknown): string | undefined => (json.isRawJSON?.(value) ? value.rawJSON : undefined);

/** JSON.parse that keeps such numbers, where the browser can. They are written again as they were. */
export function parseExactly<T>(text: string): T {
  const { rawJSON } = json;
  const plain = JSON.parse(text);
  if (rawJSON === undefined || JSON.stringify(plain) === text) return plain;
  return json.parse(text, (_, value, about) =>
    typeof value === 'number' && about?.source !== undefined && about.source !== String(value)
      ? rawJSON(about.source)
      : value,
  ) as T;
}
