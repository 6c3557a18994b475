import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { binaryBytes, UNKNOWN } from './numbers.ts';
import { panel } from './table.ts';
import { paint, type Screen, show, when } from './text.ts';

type MeAnswer = Output<'me.read'>;
type UsedLimit = MeAnswer['limits']['rate_rpm'];

const LIMITS: readonly [keyof MeAnswer['limits'], string][] = [
  ['key_rate_rpm', 'requests of this key'],
  ['rate_rpm', 'requests in all'],
  ['storage_bytes', 'storage'],
  ['storage_entries', 'entries'],
  ['open_sessions', 'open sessions'],
  ['open_streams', 'open streams'],
];

/** Empty where nothing is counted and nothing is limited. */
function ofLimit({ used, limit }: UsedLimit, text: (n: number) => string, unit = ''): string {
  if (used === null && limit === null) return '';
  const counted = used === null ? UNKNOWN : text(used);
  return limit === null ? `${counted}${unit}, no limit` : `${counted} of ${text(limit)}${unit}`;
}

/** The account and the key of the caller, and how much of the plan is used. */
export function me(item: AnswerItem, screen: Screen): string {
  const { account, key, usage, limits, warnings, ...rest } = item as unknown as MeAnswer;
  const ops = ofLimit({ used: usage.ops_used, limit: usage.ops_limit }, String, ' ops');
  const name = show(account.name);
  const pairs: [string, string][] = [
    ['account', `${name || account.account_id}, ${account.status}`],
    ['account id', name && account.account_id],
    ['plan', account.plan === null ? '' : show(account.plan)],
    ...(key ? keyPairs(key) : []),
    ['branch', rest.default_branch === 'main' ? '' : `${show(rest.default_branch)}, where a call names none`],
    [`used in ${usage.period}`, `${ops}, until ${when(usage.period_end)}`],
    ...LIMITS.filter(([limit]) => key || limit !== 'key_rate_rpm').map(([limit, title]): [string, string] => [
      title,
      ofLimit(limits[limit], limit === 'storage_bytes' ? binaryBytes : String, /_rpm$/.test(limit) ? ' a minute' : ''),
    ]),
    ['more', rest.upgrade_url ?? ''],
    ['plans', rest.plan_comparison_url ?? ''],
  ];
  return panel(pairs, screen) + warnings.map((text) => `${paint(screen, 'yellow', show(text))}\n`).join('');
}

function keyPairs(key: NonNullable<MeAnswer['key']>): [string, string][] {
  const scopes = key.scopes.map(({ pattern, permission }) => `${pattern} (${permission})`).join(', ') || 'everything';
  const within = key.entity_paths.length > 0 ? `, only within ${key.entity_paths.join(', ')}` : '';
  return [
    ['key', `${show(key.name)}, ${key.key_type}`],
    ['key id', key.key_id],
    ['may use', show(scopes + within)],
    ['agents', show(key.agent_ids.join(', '))],
    ['sessions', key.shares_sessions ? 'shared with other keys' : ''],
    ['expires', key.expires_at === null ? '' : when(key.expires_at)],
  ];
}
