import { type Cause, causeKeyText, parseCause } from './causes.ts';

export type GivenCause = string | { entity_path: string; key: string; version?: number | undefined };
export type CauseProblem = { path: string; message: string };

export const NOT_A_NAME = 'is not the name of an entry, whose form is entity_path/key';

type GivenCauses = {
  keys: readonly GivenCause[];
  versions: Readonly<Record<string, number>>;
  /** The prefix of their path within the input. */
  path: string;
};

/** The causes a caller names, with the versions it says it read; or the problems with them. */
export function parseGivenCauses({ keys, versions, path }: GivenCauses): { causes: Cause[]; problems: CauseProblem[] } {
  const problems: CauseProblem[] = [];
  const wanted = new Map<string, number>();
  for (const [text, version] of Object.entries(versions)) {
    const cause = parseCause(text);
    if (cause) wanted.set(causeKeyText(cause), version);
    else problems.push({ path: `${path}causal_entry_versions.${text}`, message: NOT_A_NAME });
  }
  const causes = keys.flatMap((given, i): Cause[] => {
    const cause = parseCause(given);
    if (cause) {
      if (wanted.size > 0) cause.version ??= wanted.get(causeKeyText(cause));
      return [cause];
    }
    problems.push({ path: `${path}causal_entry_keys.${i}`, message: NOT_A_NAME });
    return [];
  });
  return { causes, problems };
}
