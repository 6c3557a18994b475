import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../data/client.ts';
import { useKey } from '../../data/key-store.ts';
import { problemOf } from '../../data/problem.ts';
import { usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { flagParameter, textParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { admin, keysTexts as texts } from '../../texts/admin.ts';
import { ago, day, fullTimeOf } from '../../texts/format.ts';
import { pageTitles } from '../../texts/pages.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './admin.module.css';
import { KeyDetail } from './key-detail.tsx';
import { KeyForm } from './key-form.tsx';
import { KeyStatus, type ListedKey, type MadeKey, scopesWords } from './key-marks.tsx';
import { KeyOnce } from './key-once.tsx';
import { AdminBar, Panes } from './panes.tsx';

const parameters = { key: textParameter(), create: flagParameter() };
const input = { limit: 100 };
const FIRST = { name: 'keys.create', input: { name: 'first admin', key_type: 'admin' } } as const;
const call = { name: 'keys.list' as const, input };

/** Who may do what: all keys, with those that were revoked. */
export function KeysPage() {
  const [{ key: selected, create }, set] = useSearch(parameters);
  const pages = usePages('keys.list', input);
  const keys = pages.data?.pages.flatMap((page) => page.keys) ?? [];
  const { secret, busy, error, make, forget } = useNewKey();
  const isSignedIn = useKey() !== '';
  const open = () => set({ create: true });
  useCommands([{ id: 'new-key', label: texts.create, keys: 'n', group: 'page', run: open }]);
  const shown = keys.find(({ key_id }) => key_id === selected);
  const close = () => set({ key: '' });
  return (
    <Panes
      {...(shown
        ? {
            detail: (
              <KeyDetail
                key={shown.key_id}
                apiKey={shown}
                onClose={close}
                onMade={(made) => make(() => Promise.resolve(made))}
              />
            ),
          }
        : {})}
    >
      <AdminBar title={pageTitles.keys}>
        <CopyAs call={call} />
        <Button kind="ink" onClick={open}>
          {texts.create}
        </Button>
      </AdminBar>
      <div className={`${styles.body} edges`}>
        <Loaded answer={{ ...pages, data: pages.data?.pages[0] }} rows={6} call={call}>
          {() =>
            keys.length === 0 ? (
              <div className={styles.note}>
                <EmptyState title={texts.nothing}>
                  <p className="second">{isSignedIn ? texts.nothingSignedIn : texts.nothingHint}</p>
                  <CallCode label={texts.create} calls={[FIRST]} />
                </EmptyState>
              </div>
            ) : (
              <KeyTable keys={keys} selected={selected} onOpen={(key) => set({ key })} />
            )
          }
        </Loaded>
        {pages.hasNextPage && (
          <div className={styles.foot}>
            <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              {admin.more}
            </Button>
          </div>
        )}
      </div>
      {create && (
        <KeyForm
          busy={busy}
          error={error}
          onClose={() => set({ create: false })}
          onCreate={(request) => {
            void make(() => client().call('keys.create', request)).then((isMade) => isMade && set({ create: false }));
          }}
        />
      )}
      {secret !== undefined && <KeyOnce secret={secret} onClose={forget} />}
    </Panes>
  );
}

/** Makes a key. What it answers is kept for the dialog that shows it and nowhere else. */
function useNewKey() {
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string | null>();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const make = async (ask: () => Promise<MadeKey>): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      setSecret((await ask()).key);
      await queries.invalidateQueries({ queryKey: ['keys.list'] });
      return true;
    } catch (failure) {
      setError(problemOf(failure).detail);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { secret, error, busy, make, forget: () => setSecret(undefined) };
}

type KeyTableProps = { keys: readonly ListedKey[]; selected: string; onOpen: (key: string) => void };

function KeyTable({ keys, selected, onOpen }: KeyTableProps) {
  const now = useNow();
  const columns: Column<ListedKey>[] = [
    {
      id: 'name',
      head: texts.columns.name,
      phone: 'name',
      cell: ({ name }) => (
        <span className="strong" title={name}>
          {name}
        </span>
      ),
    },
    {
      id: 'type',
      head: texts.columns.type,
      width: 84,
      phone: 'hide',
      cell: ({ key_type = 'agent' }) => <span className="second">{texts.types[key_type].name}</span>,
    },
    {
      id: 'scopes',
      head: texts.columns.scopes,
      phone: 'detail',
      cell: (apiKey) => {
        const words = scopesWords(apiKey);
        return (
          <span className="second" title={words}>
            {words}
          </span>
        );
      },
    },
    {
      id: 'prefix',
      head: texts.columns.prefix,
      width: 130,
      phone: 'hide',
      cell: ({ prefix }) => <span className="mono third">{prefix}…</span>,
    },
    {
      id: 'used',
      head: texts.columns.used,
      width: 92,
      end: true,
      phone: 'time',
      cell: ({ last_used_at }) => (
        <span className="second small" title={last_used_at === null ? undefined : fullTimeOf(last_used_at)}>
          {last_used_at === null ? admin.never : ago(last_used_at, now)}
        </span>
      ),
    },
    {
      id: 'expires',
      head: texts.columns.expires,
      width: 108,
      end: true,
      phone: 'hide',
      cell: ({ expires_at }) => (
        <span className="second small" title={expires_at === null ? undefined : fullTimeOf(expires_at)}>
          {expires_at === null ? admin.never : day(expires_at, now)}
        </span>
      ),
    },
    {
      id: 'status',
      head: texts.columns.status,
      width: 112,
      end: true,
      phone: 'value',
      cell: (apiKey) => <KeyStatus apiKey={apiKey} />,
    },
  ];
  return (
    <Table
      label={pageTitles.keys}
      columns={columns}
      rows={keys}
      keyOf={({ key_id }) => key_id}
      selected={selected}
      onOpen={({ key_id }) => onOpen(key_id)}
    />
  );
}
