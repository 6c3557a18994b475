import type { CopiedCall } from '../../data/copy-as.ts';
import { CallCode } from '../../ui/call-code.tsx';
import { EmptyState } from '../../ui/states.tsx';

type NoneYetProps = {
  texts: { title: string; none: string; noneHint: string; noneOf: (status: string) => string };
  /** The name of the status that nothing has; undefined where there is nothing at all. */
  status: string | undefined;
  first: CopiedCall | readonly CopiedCall[];
};

/** Nothing has the status; or there is nothing yet, with the commands that make the first one. */
export function NoneYet({ texts, status, first }: NoneYetProps) {
  return (
    <EmptyState title={status === undefined ? texts.none : texts.noneOf(status)}>
      {status === undefined && (
        <>
          <p className="second">{texts.noneHint}</p>
          <CallCode label={texts.title} calls={[first].flat()} />
        </>
      )}
    </EmptyState>
  );
}
