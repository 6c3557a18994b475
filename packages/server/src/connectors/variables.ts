import { OWN_ENDINGS, variablePrefix } from '../config-connectors.ts';

/** What is wrong with a variable that the manifest of a connector asks for: it may read its own alone. */
export function variableProblem(variable: string, connector: string): string | undefined {
  const prefix = variablePrefix(connector);
  if (!/^[A-Z][A-Z0-9_]*$/.test(variable)) return 'must have capital letters, digits and _ alone';
  if (!variable.startsWith(prefix) || variable === prefix)
    return `must begin with ${prefix}: a connector sees no variables but its own`;
  const ending = OWN_ENDINGS.find((one) => variable.endsWith(`_${one}`));
  return ending === undefined ? undefined : `must not end in _${ending}, which mem reads itself`;
}

/** The connector with a longer name that a variable belongs to, if there is one. */
export const ownerOf = (variable: string, connector: string, names: Iterable<string>): string | undefined =>
  [...names].find((name) => name.length > connector.length && variable.startsWith(variablePrefix(name)));
