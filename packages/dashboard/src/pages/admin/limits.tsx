import { Fragment } from 'react';
import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { bytes, number } from '../../texts/format.ts';
import { usageTexts } from '../../texts/usage.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './admin.module.css';

const texts = usageTexts.limits;
type LimitName = keyof typeof texts.names;
type Quotas = Output<'usage.read'>['quotas'];
type LimitRow = { name: LimitName; used: number | null; limit: number | null };

/** What the plan allows, and how much of it is used. */
export function Limits({ quotas }: { quotas: Quotas }) {
  const me = useOperation('me.read', {});
  return (
    <Section
      title={texts.title}
      note={me.data?.account.plan ? texts.plan(me.data.account.plan) : undefined}
      actions={me.data?.upgrade_url && <ButtonLink href={me.data.upgrade_url}>{texts.upgrade}</ButtonLink>}
    >
      <Loaded answer={me} call={{ name: 'me.read', input: {} }}>
        {({ limits, warnings }) => {
          const rows = rowsOf(limits, quotas);
          return (
            <>
              {warnings.map((warning) => (
                <p key={warning} className="warn">
                  {warning}
                </p>
              ))}
              <div className={styles.limits}>
                {rows.map((row) => (
                  <Fragment key={row.name}>
                    <span>{texts.names[row.name]}</span>
                    <Bar {...row} />
                    <span className="second small">{wordsOf(row)}</span>
                  </Fragment>
                ))}
              </div>
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function rowsOf(limits: Output<'me.read'>['limits'], quotas: Quotas): LimitRow[] {
  const { storage_bytes_with_rooms: bytesWithRooms, storage_entries_with_rooms: entriesWithRooms, ...own } = limits;
  const storesInRooms =
    bytesWithRooms.used !== own.storage_bytes.used || entriesWithRooms.used !== own.storage_entries.used;
  const bounds = Object.entries(storesInRooms ? limits : own).map(([name, bound]) => ({
    name: name as LimitName,
    ...bound,
  }));
  // Entries are among the limits already.
  const others = quotas.filter(({ name }) => name !== 'entries');
  const rows = [...bounds, ...others.map(({ name, current, limit }) => ({ name, used: current, limit }))];
  // Where neither is known there is nothing to say: the service has no plans, or this key may not see all.
  // The rate of a key is one where there is a key.
  return rows.filter(({ name, used, limit }) =>
    name === 'key_rate_rpm' ? limit !== null : used !== null || limit !== null,
  );
}

function wordsOf({ name, used, limit }: LimitRow): string {
  const shown = name.startsWith('storage_bytes') ? bytes : number;
  if (used === null) return limit === null ? '' : texts.of(texts.unknown, shown(limit));
  return limit === null ? texts.unlimited(shown(used)) : texts.of(shown(used), shown(limit));
}

const WIDTH = 160;

function Bar({ used, limit }: LimitRow) {
  const share = used === null || limit === null || limit === 0 ? 0 : Math.min(1, used / limit);
  const tone = share >= 0.95 ? styles.full : share >= 0.8 ? styles.near : styles.fill;
  return (
    <svg viewBox={`0 0 ${WIDTH} 6`} height="6" preserveAspectRatio="none" aria-hidden="true">
      <rect className={styles.track} width={WIDTH} height="6" rx="1" />
      <rect className={tone} width={share * WIDTH} height="6" rx="1" />
    </svg>
  );
}
