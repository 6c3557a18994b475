import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { navigate } from '../../router/router.tsx';
import { memory } from '../../texts/memory.ts';
import { Menu } from '../../ui/menu.tsx';
import type { MemoryAddress } from './memory-address.ts';

const PROBE = { name: 'branches.list', input: { limit: 1 } } as const;
const MOST = 100;

/** Which branch is shown, where there are any. */
export function BranchMenu({ address: { branch, toBranch } }: { address: MemoryAddress }) {
  const isInstalled = useInstalled([PROBE]).get(PROBE.name) === true;
  const answer = useOperation('branches.list', { limit: MOST }, { enabled: isInstalled });
  const names = answer.data?.branches.map(({ name }) => name) ?? [];
  if (names.length === 0 && branch === 'main') return null;
  const items = ['main', ...names.filter((name) => name !== 'main')].map((name) => ({
    id: name,
    label: name,
    icon: name === branch ? ('check' as const) : ('branch' as const),
    onSelect: () => navigate(toBranch(name)),
  }));
  return (
    <Menu label={memory.branch(branch)} icon="branch" kind={branch === 'main' ? 'quiet' : 'plain'} items={items}>
      {branch === 'main' ? undefined : <span className="cut">{branch}</span>}
    </Menu>
  );
}
