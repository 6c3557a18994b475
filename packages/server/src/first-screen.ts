import { hasStore, locateLocalMemory, locationReason } from '@mem-service/mcp/location';
import { admissionOf, describeAdmission } from './admitted.ts';
import { type Config, readEnvironment } from './config.ts';
import { dashboardFolder } from './http/dashboard.ts';
import { VERSION } from './version.ts';

/** The memory that commands in this folder have had so far, where this start begins another one that hides it. */
export function memoryLeftAside({ served }: Config): string | undefined {
  if (served.by !== 'served' || hasStore(served)) return undefined;
  const usual = locateLocalMemory(readEnvironment(), process.cwd());
  return usual.at !== served.at && hasStore(usual) ? usual.at : undefined;
}

type FirstScreen = { port: number; storedKeys: number; elsewhere: string | undefined };

/** What an operator sees first. */
export function firstScreen(config: Config, { port, storedKeys, elsewhere }: FirstScreen): string {
  const { host } = config.http;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${shown}:${port}`;
  const everywhere = shown === 'localhost' && host !== 'localhost' ? ' (all interfaces)' : '';
  const rows = [
    ['listening', `${url}${everywhere}`],
    ...(config.dashboard && dashboardFolder() !== undefined ? [['dashboard', `${url}/`]] : []),
    ['docs', `${url}/docs`],
    ['data', dataText(config)],
    ...(config.readOnly ? [['read only', `writes are for ${config.primaryUrl ?? 'another server'}`]] : []),
    ...(elsewhere === undefined ? [] : [['new', newText(elsewhere)]]),
    ['auth', authText(config, storedKeys)],
    ['open to', describeAdmission(admissionOf(config))],
    ...(config.workers > 1 ? [['workers', `${config.workers} processes`]] : []),
  ];
  return `mem ${VERSION}\n\n${rows.map(([name = '', text]) => `  ${name.padEnd(11)}${text}\n`).join('')}\n`;
}

function dataText({ served, dataDir }: Config): string {
  if (served.kind === 'postgres') return `${served.at} (PostgreSQL, from ${served.by})`;
  const why = {
    served: 'in the folder it was started in',
    found: locationReason({ by: 'found' }),
    own: 'your own store',
  };
  return `${dataDir} (SQLite, ${served.by in why ? why[served.by as keyof typeof why] : `from ${served.by}`})`;
}

const newText = (elsewhere: string): string =>
  `an empty store, which commands in this folder now use. Your memory so far: MEM_DATA_DIR=${shellWord(elsewhere)} mem serve`;

const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

function authText({ hosted, apiKeys: { length: keys } }: Config, storedKeys: number): string {
  if (hosted) return 'on: keys of accounts (hosted). Make an account with: mem create-account <name>';
  if (keys === 0) return 'off: set MEM_API_KEYS to require a key';
  const given = `on: ${counted(keys, 'key')}`;
  return storedKeys === 0
    ? given
    : `${given} of MEM_API_KEYS, ${counted(storedKeys, 'key')} in the store (mem list-keys)`;
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
