import { problemOf } from '../../data/problem.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { number } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { ui } from '../../texts/ui.ts';
import { TypedConfirmation } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { callOf, useEntryChanged } from './entry-data.ts';
import type { ShownAddress } from './memory-address.ts';

const texts = memory.erase;

type EraseProps = { entry: ShownAddress; onClose: () => void; onErased: () => void };

/** Nothing brings back what is erased: first what would go, then the path typed. */
export function EraseDialog({ entry, onClose, onErased }: EraseProps) {
  const input = callOf(entry);
  const trial = useOperation('entries.erase', { ...input, dry_run: true }, { keepPrevious: false });
  const changed = useEntryChanged();
  const erase = useAction('entries.erase', {
    onDone: ({ erased, receipt_id }) => {
      showToast(texts.done(erased.versions, receipt_id));
      onErased();
      void changed();
    },
  });
  return (
    <TypedConfirmation
      title={texts.title}
      expected={`${entry.entity_path}/${entry.key}`}
      action={texts.action}
      busy={erase.isPending}
      working={trial.data && texts.working(trial.data.erased.versions)}
      error={erase.error ? problemOf(erase.error).detail : undefined}
      onConfirm={() => trial.data && erase.mutate(input)}
      onClose={onClose}
    >
      <p>{texts.hint}</p>
      <Loaded answer={trial} rows={5} call={{ name: 'entries.erase', input: { ...input, dry_run: true } }}>
        {({ erased }) => (
          <section aria-label={texts.wouldGo}>
            <p className="second small">{texts.wouldGo}</p>
            <Facts
              facts={Object.entries(erased)
                .filter(([, n]) => n > 0)
                .map(([name, n]) => ({ name: ui.plainName(name), value: number(n) }))}
            />
          </section>
        )}
      </Loaded>
    </TypedConfirmation>
  );
}
