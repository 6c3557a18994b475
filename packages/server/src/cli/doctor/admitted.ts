import { networkInterfaces } from 'node:os';
import { admissionOf, describeAdmission, isLoopback, keyOfClientOnly, type ServerAccess } from '../../admitted.ts';
import type { ClientConfig } from '../memory.ts';
import { type Check, ok, warning } from './check.ts';

const WAIT_MS = 2000;
/** Any origin that no server would list. */
const FOREIGN_ORIGIN = 'https://mem-doctor.invalid';

/** Who can use the store: those who can open it. A server that is started from here may admit more. */
export function checkStoreAdmission(config: ClientConfig): Check {
  const unread = keyOfClientOnly(config);
  if (unread !== undefined)
    return warning('open to', unread, 'rename it to MEM_API_KEYS, or set MEM_HTTP_URL to the server that it is for');
  const who = config.postgresDsn === undefined ? 'programs of your user' : 'those who can log in to the database';
  return ok('open to', `${who}; mem serve, started here: ${describeAdmission(admissionOf(config))}`);
}

/** Who can use a server, as far as it can be found out from here. */
export async function checkServerAdmission(url: string): Promise<Check> {
  const admission = await probe(url);
  const isOpen = !admission.needsKey && (!admission.loopback || admission.origins.length > 0);
  if (!isOpen) return ok('open to', describeAdmission(admission));
  const [found = ''] = describeAdmission(admission).split('. Only');
  return warning('open to', found, 'start it with mem serve --local, or set MEM_API_KEYS');
}

async function probe(url: string): Promise<ServerAccess> {
  const { hostname } = new URL(url);
  const [asked, page] = await Promise.all([
    get(`${url.replace(/\/+$/, '')}/api/v1/stats`),
    get(`${url.replace(/\/+$/, '')}/health`, { origin: FOREIGN_ORIGIN }),
  ]);
  const admitted = page?.headers.get('access-control-allow-origin');
  return {
    loopback: isLoopback(hostname) && !(await answersElsewhere(url)),
    needsKey: asked?.status === 401 || asked?.status === 403,
    origins: admitted === '*' || admitted === FOREIGN_ORIGIN ? ['*'] : [],
  };
}

/** Whether the server also answers under an address of this machine that others can connect to. */
async function answersElsewhere(url: string): Promise<boolean> {
  const addresses = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  const answers = await Promise.all(
    addresses.slice(0, 8).map(({ address }) => {
      const elsewhere = new URL(url);
      elsewhere.hostname = address;
      return get(new URL('/health', elsewhere).href);
    }),
  );
  return answers.some((answer) => answer !== undefined);
}

async function get(address: string, headers: Record<string, string> = {}): Promise<Response | undefined> {
  try {
    return await fetch(address, { headers, signal: AbortSignal.timeout(WAIT_MS) });
  } catch {
    return undefined;
  }
}
