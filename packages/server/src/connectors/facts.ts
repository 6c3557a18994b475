import { type ConnectorVariables, connectorSettings } from '../config-connectors.ts';
import type { ConnectorFacts } from './in-process.ts';
import type { Manifest } from './types.ts';

/** The variables of a connector that are set. */
export const variablesOf = ({ env_vars }: Manifest, variables: ConnectorVariables): Record<string, string> =>
  Object.fromEntries(
    env_vars.flatMap(({ name }) => (variables[name] === undefined ? [] : [[name, variables[name] as string]])),
  );

export const factsOf = (manifest: Manifest, variables: ConnectorVariables): ConnectorFacts => ({
  manifest,
  ...connectorSettings(variables, manifest.name),
  missing_variables: manifest.env_vars
    .filter(({ name, required }) => required && variables[name] === undefined)
    .map(({ name }) => name),
});
