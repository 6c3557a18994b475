import type { Request } from '../../data/client.ts';
import { useInstalled } from '../../data/installed.ts';
import { useAction } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { fixes } from '../../texts/fixes.ts';
import { showToast } from '../../ui/toast.tsx';

const FIXES = { name: 'fixes.list', input: { limit: 1 } } as const;

/** Proposes a fix and leads to it, where the module answers. */
export function useProposal(source: Request<'fixes.propose'>) {
  const mayFix = useInstalled([FIXES]).get(FIXES.name) === true;
  const propose = useAction('fixes.propose', {
    changes: ['fixes.list'],
    onDone: ({ fix_id }) => {
      showToast(fixes.proposed);
      navigate(hrefOf('fixes', fix_id));
    },
  });
  return { mayFix, propose: () => propose.mutate(source), error: propose.error };
}
