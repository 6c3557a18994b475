import type { InstallReport, LocalConnector } from '../../connector-tools.ts';
import type { ExitCode } from '../failure.ts';
import { isOn } from '../parse.ts';
import { clean } from '../render/index.ts';
import { type Column, table } from '../render/table.ts';
import { type ConnectorCall, placeOf } from './call.ts';

export async function install({ what, given, parts }: ConnectorCall): Promise<ExitCode> {
  const report = await (await parts.connectorTools()).install(what, placeOf(parts));
  parts.terminal.out(isOn(given, 'json') ? `${JSON.stringify(report)}\n` : installedText(report));
  return 0;
}

function installedText({ name, version, replaced, folder, missing_variables }: InstallReport): string {
  const before = replaced === null ? '' : ` in place of ${replaced}`;
  const set = missing_variables.length > 0 ? `  set    ${missing_variables.join(', ')}\n` : '';
  return `installed ${name} ${version}${before}: ${clean(folder)}\n${set}  note   it is trusted like the server itself: it can read what the server can\n  then   start the server again: it takes webhooks at /api/v1/webhooks/${name}\n`;
}

const COLUMNS: readonly Column<LocalConnector>[] = [
  { title: 'name', of: ({ name }) => clean(name) },
  { title: 'version', of: ({ version }) => version ?? '' },
  { title: 'source', of: ({ source }) => source },
  { title: 'secret', of: ({ secret_set, unsigned }) => (secret_set ? 'set' : unsigned ? 'not needed' : 'not set') },
  { title: 'missing', of: ({ missing_variables }) => missing_variables.join(', ') },
  { title: 'not loaded', of: ({ problems }) => clean(problems.join('; ')) },
];

/** Fails where one of them cannot be loaded. */
export async function list({ given, parts }: ConnectorCall): Promise<ExitCode> {
  const { terminal } = parts;
  const connectors = await (await parts.connectorTools()).list(placeOf(parts));
  if (isOn(given, 'json')) terminal.out(`${JSON.stringify({ connectors })}\n`);
  else terminal.out(table(connectors, COLUMNS, terminal.screen));
  return connectors.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

export async function remove({ what: name, given, parts }: ConnectorCall): Promise<ExitCode> {
  await (await parts.connectorTools()).remove(name, placeOf(parts));
  const text = `removed ${name}: a running server has it until it is started again`;
  parts.terminal.out(`${isOn(given, 'json') ? JSON.stringify({ removed: name }) : text}\n`);
  return 0;
}

export async function create({ what: name, given, parts }: ConnectorCall): Promise<ExitCode> {
  const { folder: cwd } = parts.readProcessStart();
  const folder = await (await parts.connectorTools()).create(name, { cwd });
  const at = clean(folder);
  const text = `made ${at}\n  test it      mem connector test ${at} ${at}/payload.json\n  install it   mem connector install ${at}\n`;
  parts.terminal.out(isOn(given, 'json') ? `${JSON.stringify({ name, folder })}\n` : text);
  return 0;
}
