import type { JsonObject } from '../session.ts';

/** Without what was left out. */
export const given = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
