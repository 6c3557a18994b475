import type { Output } from '../../data/client.ts';
import { keysTexts as texts } from '../../texts/admin.ts';
import { Tag } from '../../ui/marks.tsx';

export type ListedKey = Output<'keys.list'>['keys'][number];
export type MadeKey = Output<'keys.create'>;

/** What a key may do, in words. */
export function scopesWords({ scopes = [] }: ListedKey): string {
  const words = scopes.map(({ pattern, permission }) => {
    const where = pattern === '*' ? texts.everything : pattern;
    return `${texts.permissions[permission as keyof typeof texts.permissions] ?? permission} ${where}`;
  });
  return words.join(', ');
}

export function KeyStatus({ apiKey: { active, revoked_at } }: { apiKey: ListedKey }) {
  if (active) return <Tag tone="good">{texts.active}</Tag>;
  return <Tag>{revoked_at === null ? texts.expired : texts.revoked}</Tag>;
}
