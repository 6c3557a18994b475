import { readClientConfig } from '../memory.ts';
import type { OwnParts } from '../own/command.ts';
import type { ParsedFlags } from '../parse.ts';

/** `mem connector` as it was typed, after its verb. */
export type ConnectorCall = { what: string; file: string | undefined; given: ParsedFlags; parts: OwnParts };

export const placeOf = (parts: OwnParts) => ({
  config: readClientConfig(parts),
  env: parts.readEnvironment(),
  cwd: parts.readProcessStart().folder,
});
