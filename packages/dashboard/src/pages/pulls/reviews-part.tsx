import { hrefOf } from '../../router/address.ts';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { pulls } from '../../texts/pulls.ts';
import { Button } from '../../ui/button.tsx';
import { EntryName, Tag } from '../../ui/marks.tsx';
import { CheckSign } from './checks-part.tsx';
import type { PullReview, ReviewWord, WholePull } from './pull-data.ts';
import styles from './pulls.module.css';
import type { Reviewed } from './review-dialog.tsx';

const texts = pulls.reviews;
const SIGNS: Record<ReviewWord, 'passed' | 'failed' | 'comment'> = {
  approved: 'passed',
  changes_requested: 'failed',
  commented: 'comment',
};

type ReviewsPartProps = { pull: WholePull; onReview: (reviewed: Reviewed) => void };

/** Everything that reviewers said, the oldest first, as it is read. */
export function ReviewsPart({ pull: { reviews, has_more_reviews, status }, onReview }: ReviewsPartProps) {
  return (
    <div className={styles.reviews}>
      {has_more_reviews && <p className="third">{texts.more}</p>}
      {reviews.length === 0 && <p className="third">{texts.none}</p>}
      {[...reviews].reverse().map((review) => (
        <ReviewLine key={review.no} review={review} />
      ))}
      {status === 'open' && (
        <div>
          <Button onClick={() => onReview({ decision: 'commented' })}>{texts.add}</Button>
        </div>
      )}
    </div>
  );
}

export function ReviewLine({ review, isOfEntry = false }: { review: PullReview; isOfEntry?: boolean }) {
  const { reviewer, decision, comment, entity_path, key, is_dismissed, created_at } = review;
  return (
    <div className={styles.review}>
      <div className={styles.reviewHead}>
        <CheckSign status={SIGNS[decision]} />
        <a className="strong" href={hrefOf('agents', reviewer)}>
          {reviewer}
        </a>
        <span className="second">{texts.decisions[decision]}</span>
        {!isOfEntry && entity_path !== null && key !== null && (
          <>
            <span className="third">{texts.onEntry}</span>
            <EntryName path={entity_path} name={key} />
          </>
        )}
        {is_dismissed && <Tag>{texts.dismissed}</Tag>}
        <time className="third small" dateTime={created_at} title={fullTimeOf(created_at)}>
          {dayAndTime(created_at)}
        </time>
      </div>
      {comment !== '' && <p className={`${styles.comment} prose`}>{comment}</p>}
    </div>
  );
}
