import { type Client, createClient } from '@mem-service/sdk';
import { isLoopback } from '../../admitted.ts';
import { VERSION } from '../../version.ts';
import { problemOf } from '../failure.ts';
import { duration } from '../render/index.ts';
import { checkServerAdmission } from './admitted.ts';
import { type Check, failure, ok, warning } from './check.ts';
import { checkEmbedderOf } from './models.ts';

const WAIT_MS = 5000;
/** The `Date` header has whole seconds. */
const TOLERATED_SKEW_MS = 5000;

type HealthAnswer = { health: { version?: string; status?: string }; date: string | null; status: number };

export async function checkServer(url: string, apiKey: string | undefined): Promise<Check[]> {
  let answered: HealthAnswer;
  try {
    answered = await askHealth(url);
  } catch (error) {
    const { cause, message } = error as Error;
    const why = (cause as Error | undefined)?.message || message;
    return [
      failure('server', `${url} cannot be reached: ${why}`, `start it (${startCommand(url)}), or correct MEM_HTTP_URL`),
    ];
  }
  const { health, status, date } = answered;
  if (typeof health.version !== 'string' && status !== 503)
    return [failure('server', `${url} answers ${status}, but is no memory service`, 'correct MEM_HTTP_URL')];
  if (status === 503)
    return [
      failure('server', `${url} is up, but its database is not`, 'look at the log of the server'),
      checkClock(date),
    ];
  const client = createClient({ url, apiKey, retries: 0, timeoutMs: WAIT_MS });
  const key = await checkKey(client, apiKey);
  return [
    ok('server', `${url} is up`),
    checkVersion(health.version as string),
    key,
    ...(key.level === 'ok' ? await checkEmbedder(client) : []),
    await checkServerAdmission(url),
    checkClock(date),
  ];
}

const startCommand = (url: string): string => (isLoopback(new URL(url).hostname) ? 'mem serve --local' : 'mem serve');

async function askHealth(url: string): Promise<HealthAnswer> {
  const address = `${url.replace(/\/+$/, '')}/health?ready=true`;
  const response = await fetch(address, { signal: AbortSignal.timeout(WAIT_MS) });
  const health = (await response.json().catch(() => ({}))) as HealthAnswer['health'];
  return { health, date: response.headers.get('date'), status: response.status };
}

const checkVersion = (version: string): Check =>
  version === VERSION
    ? ok('version', `${version}, as this program`)
    : warning('version', `the server is ${version}, this program ${VERSION}`, 'update the older of the two');

async function checkKey(client: Client, apiKey: string | undefined): Promise<Check> {
  try {
    await client.callText('stats.read', {});
    return ok('key', apiKey === undefined ? 'none is asked for' : 'accepted');
  } catch (error) {
    const { status, detail } = problemOf(error);
    if (status === 401 || status === 403)
      return apiKey === undefined
        ? failure('key', 'the server asks for one', 'set MEM_API_KEY')
        : failure('key', 'the server does not accept it', 'set MEM_API_KEY to one of the keys of the server');
    return failure('key', detail.split('\n')[0] as string, 'look at the log of the server');
  }
}

/** At this path nothing is found, so that no entry counts as recalled. */
const EMPTY_PATH = 'mem-doctor-asks-here';

/** What the server compares the meaning of a question with. Nothing where it does not say: one of an earlier version. */
async function checkEmbedder(client: Client): Promise<Check[]> {
  try {
    const question = { query: 'who answers questions here?', entity_path: EMPTY_PATH, semantic_weight: 1, limit: 1 };
    const { index } = JSON.parse(await client.callText('entries.retrieve', question));
    return [checkEmbedderOf(index)];
  } catch {
    return [];
  }
}

function checkClock(date: string | null): Check {
  const there = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(there)) return ok('clock', 'the server sends no time');
  const skew = Math.abs(Date.now() - there);
  return skew <= TOLERATED_SKEW_MS
    ? ok('clock', 'as the server')
    : warning('clock', `${duration(skew)} from that of the server`, 'set the clock of one of them by NTP');
}
