//! One user's share: nothing of anybody else is read or written, whatever ids come from outside.

use dynamometer_planes::{Error, Event, EventKey, Expected, Id, Kind, Take, UserId};

use crate::stage::Stage;

const PROFILE: Kind = Kind::literal("profile");
const OBSERVATION: Kind = Kind::literal("observation");
const OBSERVATIONS: Kind = Kind::literal("observations");
const SESSION: Kind = Kind::literal("chat_session");
const SESSIONS: Kind = Kind::literal("chat_sessions");
const MESSAGE: Kind = Kind::literal("chat_message");

/// Ids that try to be more than one, and ids that only look so.
const REFUSED: [&str; 7] =
    ["", "bob#", "#bob", "bob#config#latest", "alice$0#bob", "bob\0", "bob\r\nprofile"];
const HARMLESS: [&str; 7] = ["bob/../alice", "../bob", "alice/", "bob ", "BOB", "bob'--", "ｂｏｂ"];

#[tokio::test]
async fn hostile_ids_are_refused_or_are_users_of_their_own() {
    let stage = Stage::new();
    let planes = stage.planes();
    let user = |id: &str| planes.user(UserId::new(id).unwrap());
    for name in ["alice", "bob"] {
        user(name).put_latest(&PROFILE, name, Expected::Nothing).await.unwrap();
        user(name).record(&OBSERVATIONS, Event::new(&OBSERVATION, name).unwrap()).await.unwrap();
    }
    for hostile in REFUSED {
        assert!(UserId::new(hostile).is_err(), "{hostile:?}");
    }
    for strange in HARMLESS {
        let them = user(strange);
        assert_eq!(them.latest::<String>(&PROFILE).await.unwrap(), None, "{strange}");
        assert_eq!(
            them.list::<String>(&OBSERVATIONS, &Take::newest(9)).await.unwrap().items,
            [],
            "{strange}"
        );
        them.put_latest(&PROFILE, strange, Expected::Nothing).await.unwrap();
        them.put_version(&PROFILE, strange).await.unwrap();
    }
    let bob = user("bob");
    assert_eq!(bob.latest::<String>(&PROFILE).await.unwrap().unwrap().value, "bob");
    assert_eq!(bob.history::<String>(&PROFILE, &Take::newest(9)).await.unwrap().items, []);
    assert_eq!(bob.list::<String>(&OBSERVATIONS, &Take::newest(9)).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn an_event_key_from_outside_leads_only_to_ones_own_events() {
    let stage = Stage::new();
    let planes = stage.planes();
    let (alice, bob) = (planes.user("alice".parse().unwrap()), planes.user("bob".parse().unwrap()));
    let event = || Event::new(&OBSERVATION, "alice's").unwrap().id(Id::new("o1").unwrap());
    let key = alice.record(&OBSERVATIONS, event()).await.unwrap();
    assert_eq!(alice.get::<String>(&OBSERVATIONS, &key).await.unwrap().unwrap().value, "alice's");
    assert_eq!(bob.get::<String>(&OBSERVATIONS, &key).await.unwrap(), None);
    assert_eq!(alice.get::<String>(&SESSIONS, &key).await.unwrap(), None, "published under another kind");
    assert!(matches!(bob.record(&OBSERVATIONS, event()).await, Err(Error::AlreadyExists { .. })));
    assert_eq!(alice.get::<String>(&OBSERVATIONS, &key).await.unwrap().unwrap().value, "alice's");
}

#[tokio::test]
async fn a_thread_is_open_to_the_user_who_began_it() {
    let stage = Stage::new();
    let planes = stage.planes();
    let (alice, bob) = (planes.user("alice".parse().unwrap()), planes.user("bob".parse().unwrap()));
    let session = Event::new(&SESSION, "about oil").unwrap().id(Id::new("s1").unwrap());
    let thread = alice.begin(&SESSIONS, session).await.unwrap();
    thread.record(Event::new(&MESSAGE, "hello").unwrap()).await.unwrap();

    let error = bob.thread(&SESSIONS, thread.key()).await.unwrap_err();
    assert_eq!(error.to_string(), "chat_session$0#s1 is no chat_sessions of this user");
    let nobody: EventKey = "chat_session$0#none".parse().unwrap();
    let same = bob.thread(&SESSIONS, &nobody).await.unwrap_err();
    assert!(matches!(same, Error::NotTheirs { .. }), "absence and strangeness look the same");

    // The key goes to the client and comes back.
    let key: EventKey = thread.key().to_string().parse().unwrap();
    let thread = alice.thread(&SESSIONS, &key).await.unwrap();
    let messages = thread.timeline::<String>(&Take::oldest(9)).await.unwrap().items;
    assert_eq!(messages.iter().map(|message| message.value.as_str()).collect::<Vec<_>>(), ["hello"]);
    assert_eq!(messages[0].publisher.as_ref().unwrap().as_str(), "chat_session#s1");
    assert_eq!(thread.list(Some(&MESSAGE), &Take::oldest(9)).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn a_cursor_of_another_user_is_refused() {
    let stage = Stage::new();
    let planes = stage.planes();
    let (alice, bob) = (planes.user("alice".parse().unwrap()), planes.user("bob".parse().unwrap()));
    for user in [&alice, &bob] {
        for _ in 0..3 {
            user.record(&OBSERVATIONS, Event::new(&OBSERVATION, "x").unwrap()).await.unwrap();
        }
    }
    let cursor = alice.list::<String>(&OBSERVATIONS, &Take::newest(1)).await.unwrap().next.unwrap();
    let error = bob.list::<String>(&OBSERVATIONS, &Take::newest(1).after(cursor)).await.unwrap_err();
    assert!(matches!(error, Error::Cursor(_)), "{error}");
}
