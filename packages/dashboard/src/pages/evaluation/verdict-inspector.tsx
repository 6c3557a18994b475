import { useOperation } from '../../data/query.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Inspector } from '../../ui/inspector.tsx';
import { Loaded } from '../../ui/states.tsx';
import { VerdictDetails } from './verdict-details.tsx';

/** One verdict beside the list of them. */
export function VerdictInspector({ verdictId, onClose }: { verdictId: string; onClose: () => void }) {
  const input = { verdict_id: verdictId };
  const call = { name: 'verdicts.read', input } as const;
  const answer = useOperation('verdicts.read', input, { keepPrevious: false });
  const name = answer.data?.judge_id ?? verdictId;
  return (
    <Inspector label={evaluation.verdicts.label(name)} title={name} onClose={onClose}>
      <Loaded answer={answer} call={call}>
        {(verdict) => <VerdictDetails verdict={verdict} isWithTrace />}
      </Loaded>
      <div>
        <CopyAs call={call} />
      </div>
    </Inspector>
  );
}
