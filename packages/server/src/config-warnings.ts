import { isLoopback } from './admitted.ts';
import type { Environment } from './config.ts';
import { unknownVariable } from './variable-names.ts';

/** Variables read by other programs of the project, or by connectors. */
const KNOWN_ELSEWHERE = /^MEM_(CONNECTOR_.+|BRANCH|HTTP_READ_URLS|TOOLSET)$/;

/** Not encrypted, and not on this machine. */
const isOpenAddress = (url: string): boolean =>
  URL.canParse(url) && new URL(url).protocol === 'http:' && !isLoopback(new URL(url).hostname);

/** A key that is shorter can be guessed. */
const SAFE_KEY_CHARS = 16;

/** By its place in the list: a key is shown nowhere. */
export const shortKeys = (keys: readonly string[]): string[] =>
  keys.flatMap(({ length }, i) =>
    length < SAFE_KEY_CHARS
      ? [`MEM_API_KEYS: key ${i + 1} has ${length} characters; one of fewer than ${SAFE_KEY_CHARS} can be guessed`]
      : [],
  );

/** Problems of the environment that do not stop the start. */
export function warningsOf(env: Environment, known: readonly string[]): string[] {
  const warnings = Object.keys(env)
    .filter((name) => name.startsWith('MEM_') && !known.includes(name) && !KNOWN_ELSEWHERE.test(name))
    .map((name) => unknownVariable(name, known));
  if (env.MEM_HTTP_URL && env.MEM_POSTGRES_DSN)
    warnings.push('MEM_HTTP_URL and MEM_POSTGRES_DSN are both set: clients use MEM_HTTP_URL');
  if (env.MEM_MODE === 'hosted' && env.MEM_API_KEYS)
    warnings.push('MEM_API_KEYS is not used where MEM_MODE is hosted: keys belong to accounts');
  if (env.MEM_MODE === 'hosted' && env.MEM_ROW_SECURITY === 'off' && env.MEM_POSTGRES_DSN)
    warnings.push('MEM_ROW_SECURITY is off: only the queries keep accounts apart');
  for (const what of ['EMBEDDER', 'RERANKER'] as const) {
    const url = env[`MEM_${what}_URL`];
    if (env[`MEM_${what}_KEY`] && url && isOpenAddress(url))
      warnings.push(`MEM_${what}_URL is not https: the key and the texts of entries can be read on the way`);
  }
  const readsOnly = env.MEM_READ_ONLY === 'on';
  if (env.MEM_PRIMARY_URL && !readsOnly) warnings.push('MEM_PRIMARY_URL is used only where MEM_READ_ONLY is on');
  if (readsOnly && !env.MEM_PRIMARY_URL)
    warnings.push(
      'MEM_READ_ONLY without MEM_PRIMARY_URL: reads are neither noted nor charged, and errors name no primary',
    );
  if (readsOnly && env.MEM_PRIMARY_URL && !env.MEM_INTERNAL_KEY)
    warnings.push('MEM_PRIMARY_URL without MEM_INTERNAL_KEY: reads are neither noted nor charged');
  return warnings;
}
