/** Encodes a slash within the key, so that no two entries have the same name. */
export const entryName = (entityPath: string, key: string): string =>
  `${entityPath}/${key.replace(/%/g, '%25').replace(/\//g, '%2F')}`;

const DECODED: Readonly<Record<string, string>> = { '%25': '%', '%2F': '/', '%2f': '/' };

/** Splits the name of an entry; undefined when it has no slash. */
export function splitEntryName(name: string): { entity_path: string; key: string } | undefined {
  const slash = name.lastIndexOf('/');
  if (slash < 1 || slash === name.length - 1) return undefined;
  const key = name.slice(slash + 1).replace(/%(?:25|2[Ff])/g, (code) => DECODED[code] as string);
  return { entity_path: name.slice(0, slash), key };
}
