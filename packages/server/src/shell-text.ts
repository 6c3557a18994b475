/** Quotes a word for a shell, where it must be. */
const shellWord = (text: string): string =>
  /^[\w./@:+][\w./@:+-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

type ErasedEntry = { entity_path: string; key: string; branch?: string | undefined };

/** The command that removes an entry with its history. */
export function eraseCommand({ entity_path, key, branch }: ErasedEntry): string {
  const isNamed = [entity_path, key].every((word) => !word.startsWith('-'));
  const words = ['mem erase', ...(branch === undefined || branch === 'main' ? [] : ['--branch', shellWord(branch)])];
  return [...words, ...(isNamed ? [] : ['--']), shellWord(entity_path), shellWord(key)].join(' ');
}
