export type CheckLevel = 'ok' | 'warn' | 'fail';

/** The result of one check. */
export type Check = {
  name: string;
  level: CheckLevel;
  found: string;
  /** How to fix it. */
  todo?: string;
};

export const ok = (name: string, found: string): Check => ({ name, level: 'ok', found });
export const warning = (name: string, found: string, todo: string): Check => ({ name, level: 'warn', found, todo });
export const failure = (name: string, found: string, todo: string): Check => ({ name, level: 'fail', found, todo });
