"""All addresses. No language in a path: a link opens in the reader's language."""

from allauth.account import views as account
from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from monitor_site.ops import act_pages, pages, ready, scraping
from monitor_site.web import (
    account_pages,
    activity_pages,
    approval_pages,
    approval_sheet,
    auction_pages,
    block_pages,
    budget_holds,
    budget_pages,
    channel_acts,
    channel_pages,
    channel_test,
    data_pages,
    decision_pages,
    factor_pages,
    feed_pages,
    feed_reading,
    frame,
    health,
    listing_pages,
    listing_watches,
    live,
    matches,
    money_files,
    order_acts,
    order_pages,
    outcome_pages,
    pictures,
    preferences_pages,
    previews,
    prices,
    proving,
    push_pages,
    security,
    start,
    tag_pages,
    watch_acts,
    watch_alerts,
    watch_bulk,
    watch_buying,
    watch_history,
    watch_schedule,
    watches,
    why_not,
)

admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign, no-untyped-call]

match_urls = [
    path("", matches.feed, name="matches"),
    path("seen/", matches.seen, name="matches-seen"),
    path("<str:public_id>/ignore/", matches.ignore, name="match-ignore"),
    path("<str:public_id>/restore/", matches.restore, name="match-restore"),
    path("<str:public_id>/snooze/", matches.snooze, name="match-snooze"),
    path("<str:public_id>/wake/", matches.wake, name="match-wake"),
    path("<str:public_id>/block-seller/", block_pages.block_seller_of, name="match-block"),
]
watch_urls = [
    path("", watches.watch_list, name="watches"),
    path("new/", watches.watch_new, name="watch-new"),
    path("new/listing/", listing_watches.watch_new_listing, name="watch-new-listing"),
    path("bulk/", watch_bulk.watch_bulk, name="watch-bulk"),
    path("preview/", previews.begin, name="watch-preview"),
    path("preview/<str:public_id>/", previews.preview, name="watch-preview-of"),
    path("why-not/", why_not.page, name="why-not"),
    path("<int:pk>/", watches.watch_detail, name="watch"),
    path("<int:pk>/runs/", watches.watch_runs, name="watch-runs"),
    path("<int:pk>/schedule/", watch_schedule.watch_schedule, name="watch-schedule"),
    path("<int:pk>/prices/", prices.watch_prices, name="watch-prices"),
    path("<int:pk>/history/", watch_history.watch_history, name="watch-history"),
    path("<int:pk>/history/restore/", watch_history.watch_restore, name="watch-restore"),
    path("<int:pk>/edit/", watches.watch_edit, name="watch-edit"),
    path("<int:pk>/pause/", watches.watch_pause, name="watch-pause"),
    path("<int:pk>/resume/", watches.watch_resume, name="watch-resume"),
    path("<int:pk>/mute/", watch_acts.watch_mute, name="watch-mute"),
    path("<int:pk>/unmute/", watch_acts.watch_unmute, name="watch-unmute"),
    path("<int:pk>/tags/", watch_acts.watch_tags, name="watch-tags"),
    path("<int:pk>/alerts/", watch_alerts.watch_alerts, name="watch-alerts"),
    path("<int:pk>/buying/", watch_buying.watch_buying, name="watch-buying"),
    path("<int:pk>/copy/", watch_acts.watch_copy, name="watch-copy"),
    path("<int:pk>/check/", watches.watch_check, name="watch-check"),
    path("<int:pk>/delete/", watches.watch_delete, name="watch-delete"),
]
decision_urls = [
    path("", decision_pages.decision, name="decision"),
    path("ignore/", decision_pages.ignore, name="decision-ignore"),
    path("restore/", decision_pages.restore, name="decision-restore"),
]
order_urls = [
    path("", order_pages.order_list, name="orders"),
    path("as.csv", money_files.orders, name="orders-csv"),
    path("parcel/", order_acts.parcel, name="orders-parcel"),
    path("<str:public_id>/", order_pages.order, name="order"),
    path("<str:public_id>/approve/", approval_pages.approve, name="order-approve"),
    path("<str:public_id>/decline/", approval_pages.decline, name="order-decline"),
    path("<str:public_id>/extend/", approval_pages.extend, name="order-extend"),
    path("<str:public_id>/unlearn/", approval_pages.unlearn, name="order-unlearn"),
    path("<str:public_id>/bought/", order_pages.bought, name="order-bought"),
    path("<str:public_id>/not-bought/", order_pages.not_bought, name="order-not-bought"),
    path("<str:public_id>/again/", outcome_pages.again, name="order-again"),
    path("<str:public_id>/received/", order_acts.received, name="order-received"),
    path("<str:public_id>/problem/", order_acts.problem, name="order-problem"),
    path("<str:public_id>/note/", order_acts.note, name="order-note"),
    path("<str:public_id>/seen/", outcome_pages.seen, name="order-seen"),
    path("<str:public_id>/cancel/", outcome_pages.cancel, name="order-cancel"),
    path("strays/<int:pk>/noted/", outcome_pages.stray_noted, name="stray-noted"),
]
activity_urls = [
    path("", activity_pages.page, name="activity"),
    path("as.csv", activity_pages.as_csv, name="activity-csv"),
    path("as.json", activity_pages.as_json, name="activity-json"),
    path("<str:row>/", activity_pages.row, name="activity-row"),
]
budget_urls = [
    path("", budget_pages.page, name="budgets"),
    path("new/", budget_pages.new, name="budget-new"),
    path("all/", budget_pages.overall, name="budget-all"),
    path("stop/", budget_pages.stop, name="spending-stop"),
    path("resume/", budget_pages.resume, name="spending-resume"),
    path("<int:pk>/", budget_pages.budget, name="budget"),
    path("<int:pk>/remove/", budget_pages.remove, name="budget-remove"),
    path("<int:pk>/holds/", budget_holds.holds, name="budget-holds"),
    path("<int:pk>/ledger.csv", money_files.ledger, name="budget-ledger"),
]
block_urls = [
    path("", block_pages.block_list, name="blocks"),
    path("phrase/", block_pages.add_phrase, name="block-phrase"),
    path("seller/", block_pages.add_seller, name="block-seller"),
    path("<int:pk>/remove/", block_pages.remove, name="block-remove"),
]
channel_urls = [
    path("", channel_pages.page, name="channels"),
    path("new/", channel_pages.choose, name="channel-choose"),
    path("new/<str:kind>/", channel_pages.new, name="channel-new"),
    path("<int:pk>/", channel_pages.channel, name="channel"),
    path("<int:pk>/remove/", channel_pages.remove, name="channel-remove"),
    path("<int:pk>/test/", channel_test.page, name="channel-test"),
    path("<int:pk>/mute/", channel_acts.mute, name="channel-mute"),
    path("<int:pk>/unmute/", channel_acts.unmute, name="channel-unmute"),
    path("<int:pk>/default/", channel_acts.default, name="channel-default"),
    path("<int:pk>/rotate/", channel_acts.rotate, name="channel-rotate"),
    path("undelivered/<str:public_id>/again/", channel_acts.again, name="delivery-again"),
]
feed_urls = [
    path("", feed_pages.feed_list, name="feeds"),
    path("<int:pk>/rotate/", feed_pages.feed_rotate, name="feed-rotate"),
    path("<int:pk>/revoke/", feed_pages.feed_revoke, name="feed-revoke"),
]
tag_urls = [
    path("", tag_pages.tag_list, name="tags"),
    path("<int:pk>/rename/", tag_pages.tag_rename, name="tag-rename"),
    path("<int:pk>/remove/", tag_pages.tag_remove, name="tag-remove"),
]
# Only these: nobody signs up here, and mail is not set up, so a forgotten password is a matter for the administrator.
account_urls = [
    path("login/", account.login, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("password/change/", proving.proves_again(account.password_change), name="account_change_password"),
    path("password/set/", proving.proves_again(account.password_set), name="account_set_password"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("password/reset/", frame.no_reset, name="account_reset_password"),
    path("prove/", proving.prove, name="prove"),
    path("prove/done/", proving.proven, name="proven"),
    path("prove/password/", account.reauthenticate, name="account_reauthenticate"),
    path("prove/code/", factor_pages.prove_by_code, name="mfa_reauthenticate"),
    path("prove/passkey/", factor_pages.prove_by_passkey, name="mfa_reauthenticate_webauthn"),
    path("code/", factor_pages.sign_in, name="mfa_authenticate"),
]

account_at_market_urls = [
    path("", account_pages.page, name="market-accounts"),
    path("new/<str:marketplace>/", account_pages.new, name="market-account-new"),
    path("<int:pk>/", account_pages.account, name="market-account"),
    path("<int:pk>/edit/", account_pages.edit, name="market-account-edit"),
    path("<int:pk>/secrets/", account_pages.replace, name="market-account-secrets"),
    path("<int:pk>/caps/", account_pages.caps, name="market-account-caps"),
    path("<int:pk>/test/", account_pages.test, name="market-account-test"),
    path("<int:pk>/pause/", account_pages.pause, name="market-account-pause"),
    path("<int:pk>/resume/", account_pages.resume, name="market-account-resume"),
    path("<int:pk>/remove/", account_pages.remove, name="market-account-remove"),
]
# The library leads to its pages by its own names for them.
security_urls = [
    path("", security.page, name="security"),
    path("", security.page, name="mfa_index"),
    path("", security.page, name="mfa_list_webauthn"),
    path("sessions/end/", security.sign_out_others, name="sessions-end"),
    path("app/", factor_pages.add_app, name="mfa_activate_totp"),
    path("app/remove/", factor_pages.remove_app, name="mfa_deactivate_totp"),
    path("codes/", factor_pages.codes, name="mfa_view_recovery_codes"),
    path("codes/new/", factor_pages.new_codes, name="mfa_generate_recovery_codes"),
    path("passkeys/new/", factor_pages.add_passkey, name="mfa_add_webauthn"),
    path("passkeys/<int:pk>/", factor_pages.rename_passkey, name="mfa_edit_webauthn"),
    path("passkeys/<int:pk>/remove/", factor_pages.remove_passkey, name="mfa_remove_webauthn"),
]

urlpatterns = [
    path("", preferences_pages.home, name="home"),
    path("matches/", include(match_urls)),
    path("m/<str:public_id>/", include(decision_urls)),
    path("approvals/", approval_pages.approvals, name="approvals"),
    path("approvals/style/", approval_pages.style, name="approval-style"),
    path("approvals/together/", approval_sheet.together, name="approvals-together"),
    path("orders/", include(order_urls)),
    path("budgets/", include(budget_urls)),
    path("activity/", include(activity_urls)),
    path("auctions/", auction_pages.auction_list, name="auctions"),
    path("listings/<int:pk>/", listing_pages.listing, name="listing"),
    path("listings/<int:pk>/look/", listing_pages.look, name="listing-look"),
    path("listings/<int:pk>/note/", listing_pages.note, name="listing-note"),
    path("listings/<int:pk>/ignore/", listing_pages.ignore, name="listing-ignore"),
    path("listings/<int:pk>/restore/", listing_pages.restore, name="listing-restore"),
    path("watches/", include(watch_urls)),
    path("blocks/", include(block_urls)),
    path("tags/", include(tag_urls)),
    path("channels/", include(channel_urls)),
    path("ops/", pages.operations, name="operations"),
    path("ops/act/", act_pages.act, name="operate"),
    path("more/", frame.more, name="more"),
    path("events/", live.events, name="events"),
    path("media/thumb/<str:signed>/<int:size>.webp", pictures.thumb, name="thumb"),
    path("feeds/<str:secret>.<str:form>", feed_reading.read, name="feed"),
    path("market-accounts/", include(account_at_market_urls)),
    path("settings/", preferences_pages.page, name="preferences"),
    path("settings/mine.zip", data_pages.download, name="own-data"),
    path("settings/close/", data_pages.close, name="account-close"),
    path("settings/feeds/", include(feed_urls)),
    path("settings/security/", include(security_urls)),
    path("settings/language/", frame.set_language, name="set-language-pref"),
    path("settings/theme/", frame.set_theme, name="set-theme"),
    path("start/<str:token>/", start.sign_in_once, name="sign-in-once"),
    path("accounts/", include(account_urls)),
    path("admin/", admin.site.urls),
    path("favicon.ico", frame.favicon, name="favicon"),
    path("manifest.webmanifest", frame.manifest, name="manifest"),
    path("push.js", push_pages.worker, name="push-worker"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", ready.readyz, name="readyz"),
    path("metrics", scraping.metrics, name="metrics"),
]
handler400 = "monitor_site.web.frame.bad_request"
handler403 = "monitor_site.web.frame.forbidden"
handler404 = "monitor_site.web.frame.not_found"
handler500 = "monitor_site.web.frame.server_error"
