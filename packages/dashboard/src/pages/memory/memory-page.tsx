import type { PageProps } from '../../pages.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { memory } from '../../texts/memory.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EditEntry, NewEntry } from './entry-editor.tsx';
import { EntryList } from './entry-list.tsx';
import { EntryPane } from './entry-pane.tsx';
import styles from './memory.module.css';
import { type MemoryAddress, useMemoryAddress } from './memory-address.ts';
import { PathTree } from './path-tree.tsx';

/** What is stored: paths, the entries of one, and one of them. */
export function MemoryPage({ rest }: PageProps) {
  const address = useMemoryAddress(rest);
  const { entry, do: doing } = address;
  useCrumbs(crumbsOf(rest, address));
  useCommands([
    { id: 'new', label: memory.list.writeNew, keys: 'n', group: 'page', run: () => navigate(address.toNew()) },
    {
      id: 'to-list',
      label: memory.entry.toList,
      keys: 'Escape',
      group: 'page',
      unlisted: true,
      run: () => {
        if (entry || doing !== '' || address.paths) navigate(address.toList());
      },
    },
  ]);
  const isDetail = entry !== undefined || doing === 'new';
  return (
    <div className={styles.page} data-shown={isDetail ? 'entry' : address.paths ? 'paths' : 'list'}>
      <PathTree address={address} />
      <EntryList address={address} />
      {doing === 'new' && <NewEntry address={address} />}
      {entry && doing === 'edit' && <EditEntry address={address} entry={entry} />}
      {entry && doing !== 'edit' && doing !== 'new' && <EntryPane address={address} entry={entry} />}
      {!isDetail && <NothingChosen address={address} />}
    </div>
  );
}

function crumbsOf(rest: string, { toPath, entry, do: doing }: MemoryAddress) {
  const hasBack = true as const;
  const parts = rest === '' ? [] : rest.split('/');
  const above = parts.map((label, i) => ({ label, href: toPath(parts.slice(0, i + 1).join('/')) }));
  const last = entry
    ? [{ label: entry.key, hasBack }]
    : doing === 'new'
      ? [{ label: memory.editor.newTitle, hasBack }]
      : [];
  return [{ label: memory.title, href: hrefOf('memory') }, ...above, ...last];
}

function NothingChosen({ address }: { address: MemoryAddress }) {
  return (
    <div className={styles.nothingChosen}>
      <p className="third">{memory.entry.choose}</p>
      <ButtonLink href={address.toNew()}>{memory.list.writeNew}</ButtonLink>
    </div>
  );
}
