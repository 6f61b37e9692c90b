//! A read with a deadline.

use core::future::poll_fn;
use core::pin::{Pin, pin};
use core::task::Poll;

/// Waits for `read`, at most until `deadline`. Returns whether the deadline has passed. The deadline is also polled when the read is ready
/// at once, because a peer that sends without a pause would otherwise delay it forever.
pub(crate) async fn read_until<T, E>(
    read: impl Future<Output = Result<T, E>>,
    mut deadline: Pin<&mut impl Future>,
) -> Result<bool, E> {
    let mut read = pin!(read);
    poll_fn(|task| {
        let read = read.as_mut().poll(task);
        let is_late = deadline.as_mut().poll(task).is_ready();
        match read {
            Poll::Ready(read) => Poll::Ready(read.map(|_| is_late)),
            Poll::Pending if is_late => Poll::Ready(Ok(true)),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
