import { signingSecretProblem } from '@mem-service/contract';
import type { Environment } from './config.ts';

/** The variables of all connectors. Which connectors there are is known later. */
export type ConnectorVariables = Readonly<Record<string, string>>;

/** What the operator sets for one connector. */
export type ConnectorSettings = {
  /** None, one, or two while one is replaced. */
  secrets: readonly string[];
  /** Deliveries from this machine need no signature. */
  unsigned: boolean;
  records_outcomes: boolean;
};

const PREFIX = 'MEM_CONNECTOR_';
/** Endings with a meaning for every connector: no manifest may ask for such a variable. */
export const OWN_ENDINGS = ['SECRET', 'SECRET_PREVIOUS', 'UNSIGNED', 'OUTCOMES'] as const;
const OWN = new RegExp(`^${PREFIX}(.+?)_(${OWN_ENDINGS.join('|')})$`);

/** What the names of all variables of a connector begin with. */
export const variablePrefix = (name: string): string => `${PREFIX}${name.toUpperCase().replaceAll('-', '_')}_`;

export const readConnectorVariables = (env: Environment): ConnectorVariables =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, text]) => (name.startsWith(PREFIX) && text ? [[name, text]] : [])),
  );

export function connectorSettings(variables: ConnectorVariables, name: string): ConnectorSettings {
  const own = (ending: (typeof OWN_ENDINGS)[number]) => variables[variablePrefix(name) + ending];
  return {
    secrets: [own('SECRET'), own('SECRET_PREVIOUS')].filter((secret) => secret !== undefined),
    unsigned: own('UNSIGNED') === 'loopback',
    records_outcomes: own('OUTCOMES') === 'on',
  };
}

/** What stops the start. A secret is named by its variable, and never shown. */
export function connectorProblems(env: Environment): string[] {
  const variables = readConnectorVariables(env);
  return Object.entries(variables).flatMap(([name, text]) => {
    const [, , ending] = OWN.exec(name) ?? [];
    const problem = ending === undefined ? undefined : problemOf(ending, text, env);
    if (problem !== undefined) return [`${name} ${problem}`];
    const current = name.replace(/_PREVIOUS$/, '');
    return ending === 'SECRET_PREVIOUS' && variables[current] === undefined
      ? [`${name} is set without ${current}, the secret that replaces it`]
      : [];
  });
}

function problemOf(ending: string, text: string, env: Environment): string | undefined {
  if (ending === 'OUTCOMES') return text === 'on' || text === 'off' ? undefined : 'must be on or off';
  if (ending !== 'UNSIGNED') return signingSecretProblem(text);
  if (text !== 'loopback') return 'must be loopback, or not be set';
  return env.MEM_MODE === 'hosted'
    ? 'is not for MEM_MODE=hosted, where every delivery must be signed: unset it'
    : undefined;
}

/** Variables that no connector reads, which may be misspelt. `used` are those that manifests ask for. */
export function unreadVariables(variables: ConnectorVariables, used: UsedVariables): string[] {
  const read = new Set(used.names.flatMap((name) => OWN_ENDINGS.map((ending) => variablePrefix(name) + ending)));
  for (const name of used.env_vars) read.add(name);
  return Object.keys(variables)
    .filter((name) => !read.has(name))
    .map((name) => `${name} is read by no connector; there are ${[...used.names].sort().join(', ') || 'none'}`);
}

export type UsedVariables = { names: readonly string[]; env_vars: readonly string[] };
